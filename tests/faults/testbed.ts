import assert from 'node:assert/strict'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import type { FaultProxy } from '../support/fault-proxy.ts'
import { newClock, uniqueName } from '../support/new-records.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import type { Scope } from '../support/test-database.ts'
import type { TestService } from '../support/test-service.ts'
import { ALL_FAULTS } from './faults.ts'

/** A service behind a proxy that can inject a fault into each statement, with records for its load. */
export interface Testbed {
  service: TestService
  proxy: FaultProxy
  customer: { id: string; externalId: string }
  /** Claims that never settle, live and on test clocks. */
  claims: readonly string[]
  /** Reasons of unhandled rejections. Each would have ended the process. */
  unhandled: unknown[]
}

/** Short if all faults are injected, because a silent connection takes that long. Otherwise long enough for a busy machine. */
const STATEMENT_TIMEOUT_MS = ALL_FAULTS ? 2_000 : 10_000
/** Number of claims of each kind. A log has at most 10,000 events, so with all faults a few claims would become full. */
const CLAIMS_OF_ONE_KIND = ALL_FAULTS ? 20 : 2
export const NEVER_SETTLED = contractWith({ fulfillment_condition: { event: 'never' } })
/** The database refuses events of this type. */
export const POISON = 'poison'

export async function createTestbed(t: Scope): Promise<Testbed> {
  const unhandled = collectUnhandledRejections(t)
  const { proxy, ...service } = await startProxiedService(t, { statementTimeoutMs: STATEMENT_TIMEOUT_MS })
  await refusePoison(service)
  const externalId = uniqueName('customer')
  const customer = { id: await service.api.customer(externalId), externalId }
  const live = await openClaims(service, customer.id, 2 * CLAIMS_OF_ONE_KIND, null)
  const onClocks = [await newClock(service.api), await newClock(service.api)].map((clock) =>
    openClaims(service, customer.id, CLAIMS_OF_ONE_KIND, clock),
  )
  return {
    service,
    proxy,
    customer,
    claims: [live, ...(await Promise.all(onClocks))].flat(),
    unhandled,
  }
}

/** Ids of new claims. Default: claims that no event settles. */
export async function openClaims(
  { api, app }: TestService,
  customerId: string,
  count: number,
  clockId: string | null,
  /** Claims that share a group. On distributed tables more claims are created until `count` are in one shard. */
  { together = false, contract = NEVER_SETTLED } = {},
): Promise<string[]> {
  const on = clockId === null ? {} : { test_clock_id: clockId }
  const claim = { customer_id: customerId, contract, ...on }
  const ids: string[] = []
  while (ids.length < count) {
    const claims = Array.from({ length: count - ids.length }, () => claim)
    const { body } = await api.post('/v1/claims/batch', { claims })
    const created: string[] = body.results.map((result: { claim: { id: string } }) => result.claim.id)
    ids.push(...created.filter((id) => !together || app.db.distribution.shardOf(id) === 0))
  }
  return ids
}

/** Waits until the fault has no effect: no transaction is open, and no server holds the lock of the checks. */
export async function settles({ service, unhandled }: Testbed): Promise<void> {
  const busy = () =>
    service.sqlOnEach(
      `SELECT state, query FROM pg_stat_activity
       WHERE datname = current_database() AND application_name ~ '^(claimkeeper|citus_internal)' AND xact_start IS NOT NULL
       UNION ALL
       SELECT 'prepared', gid FROM pg_prepared_xacts WHERE database = current_database()
       UNION ALL
       SELECT 'has the turn', '' FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
  // Citus completes an interrupted commit once a minute. The test does not wait for that.
  if (isOnCitus()) await service.sql('SELECT recover_prepared_transactions()')
  await eventually(async () => (await busy()).length === 0).catch(async () => {
    assert.deepEqual(await busy(), [], 'a transaction stayed open')
  })
  assert.deepEqual(unhandled.splice(0), [], 'a promise without a handler would have ended the process')
}

function collectUnhandledRejections(t: Scope): unknown[] {
  const unhandled: unknown[] = []
  const onRejection = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', onRejection)
  t.after(async () => void process.off('unhandledRejection', onRejection))
  return unhandled
}

async function refusePoison({ sql }: TestService): Promise<void> {
  await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'poison' USING ERRCODE = '22P02'; END $$`)
  await sql(`CREATE TRIGGER refuse BEFORE INSERT ON claim_events FOR EACH ROW WHEN (NEW.type = '${POISON}')
    EXECUTE FUNCTION refuse()`)
}
