import { after } from 'node:test'
import { onOnePostgres } from '../support/on-one-postgres.ts'
import { preparePlannedClaims } from './planned-claims.ts'
import {
  testDecisions,
  testListsOfTheAccount,
  testLookUpsOfCreations,
  testPageOfClaims,
  testScheduledChecks,
  testStatementsOfRequests,
} from './plans.ts'

/* Of each kind of statement an example. The slow suite has all filters of the lists, and larger tables and groups. */

await onOnePostgres('the plans of statements', async () => {
  const planned = await preparePlannedClaims({ after }, { claims: 8_000, candidates: 3_000 })
  const { scattered, huge } = planned.customers
  testPageOfClaims(planned, 'claim', { customerId: scattered }, 'of a customer with few far apart')
  testPageOfClaims(
    planned,
    'candidate',
    { status: 'OPEN', customerId: huge },
    'in a common status, of a customer with most of them',
  )
  testListsOfTheAccount(planned)
  testLookUpsOfCreations(planned, [20])
  testStatementsOfRequests(planned)
  testDecisions(planned, [[20, true]])
  testScheduledChecks(planned, { sizes: [100], onClock: 25 })
})
