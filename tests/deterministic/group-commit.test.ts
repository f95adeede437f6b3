import { test } from 'node:test'
import { explore } from './explore.ts'
import { type Deed, type History, submissionHistory } from './history.ts'
import {
  assertClaimsFollowTheirLogs,
  assertNothingIsLeft,
  assertSubmissionsAreAnsweredRightly,
} from './what-must-hold.ts'

/* The group commit of one or two servers, whatever the database does and in whatever order. */

const submit = (to: string, id: string, type = 'noise'): Deed => ({
  do: 'submit',
  at: 0,
  as: 'A',
  to,
  id,
  type,
  value: 0,
})
const history = (...deeds: Deed[]): History => ({
  servers: 1,
  sizes: { list: 1, read: 1, pass: 1, listingMs: 10_000 },
  deeds,
  choices: [],
})

/** The smallest forms of what was found. */
const FINDINGS = [
  // An event that the database refuses, together with another to a claim with a long log: tried again and again.
  history(submit('long', '1'), { do: 'go on', steps: 1 }, submit('long', '7', 'bomb'), submit('long', '8')),
]

test('whatever fails, each submission is answered once and by what is in the log', async (t) => {
  await explore(
    t,
    submissionHistory,
    async (world, { deeds }) => {
      await world.perform(deeds)
      await world.rest()
      assertSubmissionsAreAnsweredRightly(world)
      await world.assertServesAgain()
      await world.close()
      assertClaimsFollowTheirLogs(world)
      assertNothingIsLeft(world)
    },
    { runs: 100, examples: FINDINGS },
  )
})
