import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explore } from './explore.ts'
import { checkHistory } from './history.ts'
import { assertClaimsFollowTheirLogs, assertNothingIsLeft, assertSubmissionResults } from './invariants.ts'
import { ACTIVITY_SECONDS, REVIEW_SECONDS } from './records.ts'
import type { World } from './world.ts'

/* Scheduled checks on one or two servers, under any faults and in any order. */

test('after any faults, the next check completes the work; each transition happens once, and not before its time', async (t) => {
  await explore(
    t,
    checkHistory,
    async (world, { operations, sizes }) => {
      world.sizes = sizes
      await world.perform(operations)
      await world.drain()
      assertMovesAreCounted(world)
      await assertNextChecksDoTheRest(world)
      await world.close()
      assertSubmissionResults(world)
      assertClaimsFollowTheirLogs(world)
      assertNothingIsLeft(world)
    },
    { runs: 100 },
  )
})

const movesIn = ({ store }: World) =>
  [...store.claims.values()].flatMap(({ log }) => log.filter(({ system }) => system)).length

/** A failed check reports no count. */
function assertMovesAreCounted(world: World): void {
  const reported = world.checks.reduce(
    (sum, { answer }) => sum + (typeof answer === 'number' ? answer : 0),
    0,
  )
  const isAllReported = world.checks.every(({ answer }) => typeof answer === 'number')
  if (isAllReported && !world.wasDisturbed) assert.equal(reported, movesIn(world))
  else assert.ok(reported <= movesIn(world), `${reported} moves are reported of ${movesIn(world)}`)
}

async function assertNextChecksDoTheRest(world: World): Promise<void> {
  // A check passes over what entered its state at a time to come: the clock may have been set back.
  world.moveClock(86_400)
  for (const seconds of [ACTIVITY_SECONDS, REVIEW_SECONDS]) {
    world.moveClock(seconds + 60)
    const moved = await world.check()
    assert.ok(typeof moved === 'number', `a check without faults fails: ${moved}`)
    assert.equal(await world.check(), 0, 'a second check at the same minute finds something')
  }
  const live = [...world.store.claims.values()].filter(({ testClockId }) => testClockId === null)
  assert.deepEqual(
    live.filter(({ dueAt }) => dueAt).map(({ id, status }) => `${id} is ${status}`),
    [],
    'claims that were left behind',
  )
}
