import type pg from 'pg'
import type { LocalTestbed } from '../testbed/local-testbed.ts'
import { alwaysAvailable, type LocalFault, seconds, wait } from './timing.ts'

const SELECT_CLAIMS = "SELECT id FROM claims WHERE status = 'OPEN' ORDER BY random() LIMIT 200"
const SELECT_CLOCKS = 'SELECT id FROM test_clocks ORDER BY random() LIMIT 5'

/** Locks rows of one shard, on its node. Citus cannot lock rows of several shards, and hides the tables of the shards. */
const LOCK_IN_SHARD = `SET LOCAL citus.override_table_visibility = off;
  DO $$
  BEGIN
    EXECUTE (
      SELECT format('SELECT FROM (%s FOR UPDATE SKIP LOCKED) AS held', replace('${SELECT_CLAIMS.replaceAll("'", "''")}', 'claims', relname))
      FROM pg_class WHERE relname ~ '^claims_[0-9]+$' AND relkind = 'r' ORDER BY random() LIMIT 1
    );
  END $$`

/** A transaction that was opened manually and stays open for a second. */
const held = (name: string, lock: string, what: string, lockOfShard?: string): LocalFault => ({
  name,
  unavailable: alwaysAvailable,
  inject: async (testbed, random, signal) => {
    const ofShard = testbed.shardNodes.length > 0 ? lockOfShard : undefined
    const node = ofShard === undefined ? testbed.postgres : random.pick(testbed.shardNodes)
    const client = await node.connect().catch(() => null)
    if (client === null) return null
    const release = testbed.onRecover(() => client.end())
    try {
      const ms = random.int(400, 1_500)
      const waiting = await hold(testbed, client, ofShard ?? lock, ms, signal)
      return waiting === 0 ? null : `${what} held for ${seconds(ms)}, ${waiting} statements waited`
    } finally {
      await release()
    }
  },
})

/** Returns the maximum number of statements that waited at a time. */
async function hold(
  testbed: LocalTestbed,
  client: pg.Client,
  lock: string,
  ms: number,
  signal: AbortSignal,
): Promise<number> {
  try {
    await client.query("BEGIN; SET LOCAL lock_timeout = '5s'")
    await client.query(lock)
    const until = performance.now() + ms
    let most = 0
    while (performance.now() < until && !signal.aborted) {
      most = Math.max(most, await countWaiting(testbed))
      await wait(100, signal)
    }
    await client.query('COMMIT')
    return most
  } catch {
    // Another fault, or a competing lock, came first.
    return 0
  }
}

async function countWaiting(testbed: LocalTestbed): Promise<number> {
  let count = 0
  for (const node of [testbed.postgres, ...testbed.shardNodes]) {
    const [row] = await node.sql<{ count: number }>(
      "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    )
    count += row?.count ?? 0
  }
  return count
}

export const claimsHeld = held(
  'claims-held',
  `WITH held AS (${SELECT_CLAIMS} FOR UPDATE SKIP LOCKED) SELECT count(*) FROM held`,
  'rows of claims',
  LOCK_IN_SHARD,
)
export const clocksHeld = held(
  'clocks-held',
  `WITH held AS (${SELECT_CLOCKS} FOR UPDATE SKIP LOCKED) SELECT count(*) FROM held`,
  'rows of test clocks',
)
export const tableHeld = held('table-held', 'LOCK TABLE claim_events IN SHARE MODE', 'the table of events')
