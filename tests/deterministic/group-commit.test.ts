import { test } from 'node:test'
import { explore } from './explore.ts'
import { type History, type Operation, submissionHistory } from './history.ts'
import { assertClaimsFollowTheirLogs, assertNothingIsLeft, assertSubmissionResults } from './invariants.ts'

/* Group commit on one or two servers, under any faults and in any order. */

const submit = (to: string, id: string, type = 'noise'): Operation => ({
  do: 'submit',
  at: 0,
  as: 'A',
  to,
  id,
  type,
  value: 0,
})
const history = (...operations: Operation[]): History => ({
  servers: 1,
  sizes: { list: 1, read: 1, pass: 1, listingMs: 10_000 },
  operations,
  choices: [],
})

/** Histories that failed once, in their smallest form. */
const FINDINGS = [
  // An event that the database refuses, together with another to a claim with a long log: tried again and again.
  history(
    submit('long', '1'),
    { do: 'run steps', steps: 1 },
    submit('long', '7', 'bomb'),
    submit('long', '8'),
  ),
]

test('after any faults, each submission gets one result, and the result agrees with the log', async (t) => {
  await explore(
    t,
    submissionHistory,
    async (world, { operations }) => {
      await world.perform(operations)
      await world.drain()
      assertSubmissionResults(world)
      await world.assertServesAgain()
      await world.close()
      assertClaimsFollowTheirLogs(world)
      assertNothingIsLeft(world)
    },
    { runs: 100, examples: FINDINGS },
  )
})
