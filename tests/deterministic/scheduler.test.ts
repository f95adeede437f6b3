import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Scheduler } from '../support/source/decisions.ts'
import { explore } from './explore.ts'
import { type AnyHistory, choices } from './history.ts'

interface Runs extends AnyHistory {
  /** The duration of each run, and whether it fails. */
  operations: { ms: number; fails: boolean }[]
  stopsAfterMs: number
}

const operation = fc.record({ ms: fc.constantFrom(0, 10, 900, 1_000, 1_100, 3_000), fails: fc.boolean() })
const runs: fc.Arbitrary<Runs> = fc.record({
  servers: fc.constant(0),
  operations: fc.array(operation, { minLength: 1, maxLength: 8 }),
  stopsAfterMs: fc.integer({ min: 0, max: 12_000 }),
  choices,
})

test('runs of a job never overlap, failures are reported, and stop waits for the run in progress', async (t) => {
  await explore(
    t,
    runs,
    async (world, { operations, stopsAfterMs }) => {
      const sum = { begun: 0, ended: 0, failed: 0, reported: 0 }
      const run = async () => {
        assert.equal(sum.begun++, sum.ended, 'two runs at once')
        const { ms, fails } = operations[sum.begun % operations.length] as Runs['operations'][number]
        await new Promise<void>((resolve) => void world.scheduler.scheduleIn(ms, 'the run ends', resolve))
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
      await world.runFor(stopsAfterMs)
      let isStopped = false
      void scheduler.stop().then(() => {
        isStopped = true
        assert.equal(sum.begun, sum.ended, 'stopped during a run')
      })
      const begun = sum.begun
      await world.runUntil(() => isStopped)
      await world.runFor(2_000)
      assert.deepEqual([sum.begun, sum.ended, sum.reported], [begun, begun, sum.failed])
      // A run takes up to 3 s, and the timer of the first may fire late.
      const due = Math.floor(stopsAfterMs / 8_000)
      assert.ok(begun >= due, `${begun} runs in ${stopsAfterMs} ms`)
      assert.deepEqual(world.problems.map(String), [])
      assert.deepEqual(
        [world.scheduler.pending, world.scheduler.time.pendingTimers],
        [0, 0],
        'steps and timers',
      )
    },
    { runs: 150 },
  )
})
