import type { Client } from '../clients/client.ts'
import type { Account, ClaimRecord } from '../clients/records.ts'
import { accessOtherAccount, listWithForeignFilters } from './accounts/access-other-account.ts'
import { actAsPerson } from './accounts/act-as-person.ts'
import { invite, listInvitations } from './accounts/invitations.ts'
import { listTokens, revokeToken, useAnyToken } from './accounts/tokens.ts'
import { changeCalendar, createCalendar, listCalendars, readCalendar } from './calendars.ts'
import { changeSchema, listSchemas } from './claim-schemas.ts'
import { changeMetadata } from './claims/change-metadata.ts'
import { createBatch } from './claims/create-batch.ts'
import {
  createClaim,
  createFromSchema,
  createWithTakenAlias,
  createWithTakenReference,
} from './claims/create-claim.ts'
import { createWithKey } from './claims/create-with-key.ts'
import { explainClaim } from './claims/explain-claim.ts'
import { followLists } from './claims/follow-lists.ts'
import { exportClaims, listClaims, listCustomers } from './claims/list-records.ts'
import { readClaim, verifyEarly } from './claims/read-claim.ts'
import { createCustomer, findCustomer, getCustomer, renameCustomer } from './customers.ts'
import { fillLog } from './events/fill-log.ts'
import { submitBatch } from './events/submit-batch.ts'
import { submitEvent } from './events/submit-event.ts'
import { submitLines } from './events/submit-lines.ts'
import { followFeed } from './notifications.ts'
import { readOverview } from './overview.ts'
import { readHealth } from './read-health.ts'
import { simulateContract } from './simulation.ts'
import { advanceClock, createClock, deleteClock, listClocks, readClock } from './test-clocks.ts'
import { readDeliveries, testEndpoint } from './webhooks.ts'

/** Claims of each account for which clients compete. */
const CONTENDED_CLAIMS = 8
/** Claims of a large batch, so that their logs stay short. */
const MANY_CLAIMS = 80

interface Operation {
  /** Relative frequency. */
  weight: number
  run(client: Client, account: Account): Promise<unknown>
}

const toClaim =
  (run: (client: Client, record: ClaimRecord) => Promise<unknown>) =>
  async (client: Client, account: Account) => {
    const record = client.world.pickClaim(account, client.random, CONTENDED_CLAIMS)
    if (record) await run(client, record)
    else await createClaim(client, account)
  }

const toClaims =
  (run: (client: Client, account: Account, records: ClaimRecord[]) => Promise<unknown>) =>
  async (client: Client, account: Account) => {
    const records = account.claims.slice(-client.random.pick([CONTENDED_CLAIMS, MANY_CLAIMS, MANY_CLAIMS]))
    if (records.length > 0) await run(client, account, records)
  }

async function readAnyClock(client: Client, account: Account): Promise<void> {
  if (account.clocks.length > 0)
    await readClock(client, account, client.random.pick(account.clocks.slice(-5)))
}

const OPERATIONS: readonly Operation[] = [
  { weight: 100, run: toClaim(submitEvent) },
  { weight: 16, run: toClaims(submitBatch) },
  { weight: 12, run: toClaims(submitLines) },
  { weight: 3, run: fillLog },
  { weight: 20, run: toClaim(readClaim) },
  { weight: 6, run: toClaim(verifyEarly) },
  { weight: 6, run: toClaim(changeMetadata) },
  { weight: 8, run: createClaim },
  { weight: 3, run: createCustomer },
  { weight: 3, run: renameCustomer },
  { weight: 3, run: getCustomer },
  { weight: 1, run: findCustomer },
  { weight: 5, run: listClaims },
  { weight: 2, run: exportClaims },
  { weight: 1, run: listCustomers },
  { weight: 6, run: simulateContract },
  { weight: 2, run: readOverview },
  { weight: 1, run: listSchemas },
  { weight: 1, run: createCalendar },
  { weight: 1, run: changeCalendar },
  { weight: 2, run: readCalendar },
  { weight: 1, run: listCalendars },
  { weight: 1, run: listClocks },
  { weight: 1, run: listTokens },
  { weight: 1, run: readHealth },
  { weight: 8, run: followLists },
  { weight: 8, run: followFeed },
  { weight: 3, run: readDeliveries },
  { weight: 2, run: testEndpoint },
  { weight: 4, run: accessOtherAccount },
  { weight: 1, run: listWithForeignFilters },
  { weight: 4, run: toClaim(explainClaim) },
  { weight: 2, run: changeSchema },
  { weight: 2, run: createFromSchema },
  { weight: 1, run: createBatch },
  { weight: 6, run: createWithKey },
  { weight: 1, run: createWithTakenAlias },
  { weight: 2, run: createWithTakenReference },
  { weight: 1, run: revokeToken },
  { weight: 6, run: useAnyToken },
  { weight: 1, run: invite },
  { weight: 1, run: listInvitations },
  { weight: 10, run: actAsPerson },
  { weight: 1, run: createClock },
  { weight: 5, run: advanceClock },
  { weight: 1, run: deleteClock },
  { weight: 2, run: readAnyClock },
]

/** Each operation as often as its weight. */
const DRAWN = OPERATIONS.flatMap((operation) => new Array<Operation>(operation.weight).fill(operation))

/** Runs one operation after the other while `goesOn`. */
export async function runOperations(client: Client, shouldContinue: () => boolean): Promise<void> {
  while (shouldContinue()) {
    const account = client.random.pick(client.world.accounts)
    await client.random.pick(DRAWN).run(client, account)
  }
}
