import pg from 'pg'
import type { TransitionGroup } from '../../src/checks/move-claims-store.ts'
import { connectionOf } from '../support/connection-of.ts'
import { distributionOf, isOnCitus, withTriggers } from '../support/database-nodes.ts'
import { type Connection, POOL_SETTINGS, type Statement } from '../support/source/database.ts'
import type { ClaimToDecide } from '../support/source/decisions.ts'
import { createTestDatabase, type Scope } from '../support/test-database.ts'
import { Backend } from './backend.ts'
import { StepScheduler } from './step-scheduler.ts'
import { Store, type StoredClaim } from './store.ts'
import { StoreConnection } from './store-connection.ts'

/** PostgreSQL or the store, with the same records. The results of the same calls are compared. */
export interface Side {
  db: Connection
  /** Locks the row of a claim or a test clock until `release`. */
  hold: (table: 'claims' | 'test_clocks', id: string) => Promise<void>
  release: () => Promise<void>
  /** Reads of each claim, the latest last. */
  seen: Map<string, ClaimToDecide[]>
  moves: TransitionGroup[]
}

export interface Fixtures {
  claims: readonly StoredClaim[]
  clocks: readonly { id: string; userId: string; frozenTime: Date }[]
  mark: Date
}

const newSide = (rest: Pick<Side, 'db' | 'hold' | 'release'>): Side => ({
  ...rest,
  seen: new Map(),
  moves: [],
})

export function storeWith({ claims, clocks, mark }: Fixtures): Side {
  const store = new Store(() => new Date())
  store.mark = mark
  for (const claim of claims) store.claims.set(claim.id, { ...claim, log: [] })
  for (const clock of clocks) store.clocks.set(clock.id, { ...clock })
  let holder: Backend | null = null
  return newSide({
    db: new StoreConnection(store),
    hold: async (table, id) => {
      holder = new Backend(store, new StepScheduler([]), 'holder')
      store.lock(holder, `${table === 'claims' ? 'claim' : 'clock'} ${id}`)
    },
    release: async () => holder?.die(),
  })
}

/** Opens sides on one database, one at a time. */
export async function postgres(t: Scope): Promise<(fixtures: Fixtures) => Promise<Side>> {
  const databaseUrl = await createTestDatabase(t)
  const distribution = await distributionOf(databaseUrl)
  const connectionString = withTriggers(databaseUrl)
  const [client, other] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })]
  for (const one of [client, other]) {
    // The database may be dropped under it.
    one.on('error', () => {})
    await one.connect()
    t.after(() => one.end())
  }
  if (isOnCitus()) await client.query(POOL_SETTINGS)
  await client.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`)
  await client.query(`
    CREATE TRIGGER refuse BEFORE INSERT ON claim_events FOR EACH ROW WHEN (NEW.type = 'bomb') EXECUTE FUNCTION refuse()`)
  const query = async <Row>({ values, ...statement }: Statement) =>
    (await client.query({ ...statement, values: values as unknown[] })).rows as Row[]
  return async ({ claims, clocks, mark }) => {
    await client.query('ROLLBACK')
    await client.query('TRUNCATE claims, claim_events')
    await client.query('TRUNCATE test_clocks')
    await other.query('ROLLBACK')
    await client.query('UPDATE resolution_mark SET up_to = $1', [mark])
    for (const clock of clocks) {
      await client.query(
        'INSERT INTO test_clocks (user_id, id, frozen_time, created_at) VALUES ($1, $2, $3, $3)',
        [clock.userId, clock.id, clock.frozenTime],
      )
    }
    for (const claim of claims) await client.query(INSERT, columnsOf(claim))
    return newSide({
      db: connectionOf(query, distribution),
      hold: async (table, id) => {
        await other.query('BEGIN')
        await other.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [id])
      },
      release: async () => void (await other.query('ROLLBACK')),
    })
  }
}

const INSERT = `INSERT INTO claims (id, user_id, customer_id, candidate_alias, customer_external_id, contract,
    decisive_event_types, price, status, status_since, due_at, log_bytes, test_clock_id, created_at, decided_count)
  VALUES ($1, $2, $2, $3, $4, $5, $6, $11, 'OPEN', $7, $8, $9, $10, $7, $12)`

const columnsOf = (claim: StoredClaim) => [
  claim.id,
  claim.userId,
  claim.alias,
  claim.alias && 'acme',
  JSON.stringify(claim.contract),
  claim.decisiveTypes,
  claim.createdAt,
  claim.dueAt,
  claim.logBytes,
  claim.testClockId,
  claim.contract.price,
  claim.decidedCount,
]
