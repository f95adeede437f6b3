import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Scheduler } from '../support/source/decisions.ts'
import { explore } from './explore.ts'
import { type AnyHistory, choices } from './history.ts'

/* The scheduler: runs of a job never overlap, a run that fails is reported, and a stop waits for those that are on. */

interface Runs extends AnyHistory {
  /** Of each run how long it takes in milliseconds, and whether it fails. */
  deeds: { ms: number; fails: boolean }[]
  stopsAfterMs: number
}

const deed = fc.record({ ms: fc.constantFrom(0, 10, 900, 1_000, 1_100, 3_000), fails: fc.boolean() })
const runs: fc.Arbitrary<Runs> = fc.record({
  servers: fc.constant(0),
  deeds: fc.array(deed, { minLength: 1, maxLength: 8 }),
  stopsAfterMs: fc.integer({ min: 0, max: 12_000 }),
  choices,
})

test('runs of a job never overlap, failures are reported, and a stop waits for what is on', async (t) => {
  await explore(
    t,
    runs,
    async (world, { deeds, stopsAfterMs }) => {
      const sum = { begun: 0, ended: 0, failed: 0, reported: 0 }
      const run = async () => {
        assert.equal(sum.begun++, sum.ended, 'two runs at once')
        const { ms, fails } = deeds[sum.begun % deeds.length] as Runs['deeds'][number]
        await new Promise<void>((resolve) => void world.course.in(ms, 'the run ends', resolve))
        sum.ended++
        if (!fails) return
        sum.failed++
        throw new Error('the run fails')
      }
      const onError = (error: unknown) => {
        if (/two runs/.test(`${error}`)) world.problems.push(error)
        sum.reported++
      }
      const scheduler = new Scheduler([{ name: 'job', every: 1, run }], onError)
      await scheduler.start()
      await world.goOnFor(stopsAfterMs)
      let isStopped = false
      void scheduler.stop().then(() => {
        isStopped = true
        assert.equal(sum.begun, sum.ended, 'stopped while a run is on')
      })
      const begun = sum.begun
      await world.goOnUntil(() => isStopped)
      await world.goOnFor(2_000)
      assert.deepEqual([sum.begun, sum.ended, sum.reported], [begun, begun, sum.failed])
      // A run takes three seconds at most, and the first may be told late that its time has come.
      const due = Math.floor(stopsAfterMs / 8_000)
      assert.ok(begun >= due, `${begun} runs in ${stopsAfterMs} ms`)
      assert.deepEqual(world.problems.map(String), [])
      assert.deepEqual([world.course.waiting, world.course.time.waiting], [0, 0], 'steps and timers')
    },
    { runs: 150 },
  )
})
