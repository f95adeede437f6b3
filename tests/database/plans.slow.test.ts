import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { onOnePostgres } from '../support/on-one-postgres.ts'
import { preparePlannedClaims } from './planned-claims.ts'
import {
  STATUSES,
  testDecisions,
  testLookUpsOfCreations,
  testPageOfClaims,
  testPageOfClaimsPlannedEmpty,
  testScheduledChecks,
  testSearchesOfCustomersAndTypes,
} from './plans.ts'

await onOnePostgres('the plans of statements over many rows', async () => {
  const planned = await preparePlannedClaims({ after }, { claims: 40_000, candidates: 15_000 })
  const { customers } = planned
  const owners: Record<string, string | undefined> = {
    'of any customer': undefined,
    'of a customer with most of them': customers.huge,
    'of a customer with three': customers.tiny,
    'of a customer with few far apart': customers.scattered,
    'of a customer with none': randomUUID(),
  }
  for (const kind of ['claim', 'candidate'] as const)
    for (const [which, status] of Object.entries(STATUSES))
      for (const [whose, customerId] of Object.entries(owners))
        testPageOfClaims(planned, kind, { status, customerId }, `${which} ${whose}`)
  testPageOfClaimsPlannedEmpty(planned)
  testSearchesOfCustomersAndTypes(planned)
  testLookUpsOfCreations(planned, [1, 60, 1_000])
  testDecisions(planned, [
    [1, false],
    [20, false],
    [500, false],
    [500, true],
  ])
  testScheduledChecks(planned, { sizes: [1_000], onClock: 100 })
})
