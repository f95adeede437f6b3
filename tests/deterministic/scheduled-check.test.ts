import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explore } from './explore.ts'
import { checkHistory } from './history.ts'
import { ACTIVITY_SECONDS, REVIEW_SECONDS } from './records.ts'
import {
  assertClaimsFollowTheirLogs,
  assertNothingIsLeft,
  assertSubmissionsAreAnsweredRightly,
} from './what-must-hold.ts'
import type { World } from './world.ts'

/* The scheduled checks of one or two servers at once, whatever the database does and in whatever order. */

test('whatever fails, the next check does the rest, each claim makes each move once, and none before its time', async (t) => {
  await explore(
    t,
    checkHistory,
    async (world, { deeds, sizes }) => {
      world.sizes = sizes
      await world.perform(deeds)
      await world.rest()
      assertMovesAreCounted(world)
      await assertNextChecksDoTheRest(world)
      await world.close()
      assertSubmissionsAreAnsweredRightly(world)
      assertClaimsFollowTheirLogs(world)
      assertNothingIsLeft(world)
    },
    { runs: 100 },
  )
})

const movesIn = ({ store }: World) =>
  [...store.claims.values()].flatMap(({ log }) => log.filter(({ system }) => system)).length

/** A check that fails does not tell how far it came. */
function assertMovesAreCounted(world: World): void {
  const told = world.checks.reduce((sum, { answer }) => sum + (typeof answer === 'number' ? answer : 0), 0)
  const isAllTold = world.checks.every(({ answer }) => typeof answer === 'number')
  if (isAllTold && !world.wasDisturbed) assert.equal(told, movesIn(world))
  else assert.ok(told <= movesIn(world), `${told} moves are reported of ${movesIn(world)}`)
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
