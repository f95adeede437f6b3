import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { explore } from './explore.ts'
import { type AnyHistory, choices, type Deed } from './history.ts'

/* Accounts take turns: however many submissions one of them has waiting, another's go with the next groups. */

interface Crowd extends AnyHistory {
  deeds: Deed[]
  /** What A has waiting when B comes. */
  waiting: number
}

const deed: fc.Arbitrary<Deed> = fc.record({
  do: fc.constant('go on' as const),
  steps: fc.integer({ min: 1, max: 6 }),
})
const crowd: fc.Arbitrary<Crowd> = fc.record({
  servers: fc.constant(1),
  waiting: fc.integer({ min: 1, max: 2_500 }),
  deeds: fc.array(deed, { maxLength: 3 }),
  choices,
})

/** Of A, in the two lanes and in the next group. */
const MOST_BEFORE = 3 * 500

test('who comes behind a crowd of another account goes with the next group', async (t) => {
  await explore(
    t,
    crowd,
    async (world, { waiting, deeds }) => {
      const submit = (as: string, to: string, id: string) =>
        world.perform([{ do: 'submit', at: 0, as, to, id, type: 'noise', value: 0 }])
      for (let i = 0; i < waiting; i++) await submit('A', i % 2 ? 'simple' : 'both', `${i}`)
      await world.perform(deeds)
      // Else it would be chance how long B's own group is on its way.
      world.course.straighten()
      const before = recorded(world.store.claims.values())
      await submit('B', 'of B', '1')
      const own = world.submissions.at(-1)
      await world.goOnUntil(() => own?.answeredAt !== null)
      assert.ok(recorded(world.store.claims.values()) - before <= MOST_BEFORE, 'too many were served first')
      await world.rest()
      await world.close()
    },
    { runs: 25 },
  )
})

const recorded = (claims: Iterable<{ log: readonly unknown[] }>) =>
  [...claims].reduce((sum, { log }) => sum + log.length, 0)
