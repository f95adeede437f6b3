import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { explore } from './explore.ts'
import { type AnyHistory, choices, type Operation } from './history.ts'

/* Accounts are served round-robin: a backlog of one account does not delay the submissions of another. */

interface Backlog extends AnyHistory {
  operations: Operation[]
  /** Queued submissions of A when B submits. */
  waiting: number
}

const operation: fc.Arbitrary<Operation> = fc.record({
  do: fc.constant('run steps' as const),
  steps: fc.integer({ min: 1, max: 6 }),
})
const backlog: fc.Arbitrary<Backlog> = fc.record({
  servers: fc.constant(1),
  waiting: fc.integer({ min: 1, max: 2_500 }),
  operations: fc.array(operation, { maxLength: 3 }),
  choices,
})

/** Submissions of A in the two groups in flight and in the next group. */
const MAX_SERVED_BEFORE = 3 * 500

test('a submission behind the backlog of another account is in the next group', async (t) => {
  await explore(
    t,
    backlog,
    async (world, { waiting, operations }) => {
      const submit = (as: string, to: string, id: string) =>
        world.perform([{ do: 'submit', at: 0, as, to, id, type: 'noise', value: 0 }])
      for (let i = 0; i < waiting; i++) await submit('A', i % 2 ? 'simple' : 'both', `${i}`)
      await world.perform(operations)
      // Random order would delay B's own group by chance.
      world.scheduler.runInOrder()
      const before = recorded(world.store.claims.values())
      await submit('B', 'of B', '1')
      const own = world.submissions.at(-1)
      await world.runUntil(() => own?.answeredAt !== null)
      assert.ok(
        recorded(world.store.claims.values()) - before <= MAX_SERVED_BEFORE,
        'too many were served first',
      )
      await world.drain()
      await world.close()
    },
    { runs: 25 },
  )
})

const recorded = (claims: Iterable<{ log: readonly unknown[] }>) =>
  [...claims].reduce((sum, { log }) => sum + log.length, 0)
