import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scheduler } from '../../src/scheduler/scheduler.ts'

const EVERY_SECOND = '* * * * * *'

test('a job runs at its times, goes on after a failure, and is waited for at the stop', async () => {
  const errors: unknown[] = []
  let runs = 0
  let finished = 0
  const { promise: thirdRun, resolve: reachThirdRun } = Promise.withResolvers<void>()
  const { promise: work, resolve: endWork } = Promise.withResolvers<void>()
  const job = {
    name: 'counting',
    pattern: EVERY_SECOND,
    run: async () => {
      runs++
      if (runs === 1) throw new Error('first run fails')
      if (runs === 3) {
        reachThirdRun()
        await work
      }
      finished++
    },
  }
  const scheduler = new Scheduler([job], (error) => errors.push(error))
  await scheduler.start()
  await thirdRun
  const stopped = scheduler.stop()
  endWork()
  await stopped
  assert.equal(runs, 3)
  assert.equal(finished, 2)
  assert.deepEqual(errors.map(String), ['Error: first run fails'])
})
