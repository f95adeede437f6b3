import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { nodesOf, queryInShards, type ShardStatement } from '../../src/platform/database/citus/in-shards.ts'
import { connectionOf } from '../support/connection-of.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { newClaim } from '../support/new-records.ts'
import {
  findArchivedClaims,
  findArchivedPosition,
  findClaim,
  readClaimAndLog,
  readEvents,
  readLogPage,
  readLongLog,
  readShortClaims,
} from '../support/source/claims.ts'
import { type Connection, Database, isTransient, SERVICE_ACCOUNT } from '../support/source/database.ts'
import { readClaimsToDecide, readDueGroups } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'

/* A statement that Citus sends to all nodes costs work on each node, and fails if a node is unavailable. */

describe('a statement about one claim goes to one node', {
  skip: !isOnCitus() && 'not on Citus',
}, async () => {
  if (!isOnCitus()) return
  const { api, app, databaseUrl } = await startTestService({ after })
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  after(() => client.end())
  const claim = await newClaim(api)
  await api.post(`/v1/claims/${claim.id}/events`, { id: 'an-event', type: 'progress' })
  const address = { kind: 'claim', id: claim.id } as const
  const userId = (await app.db.query<{ id: string }>({ text: 'SELECT id FROM users' }))[0]?.id as string

  const reads: Record<string, (db: Connection) => Promise<unknown>> = {
    findArchivedClaims: (db) => findArchivedClaims(db, [claim.id]),
    findArchivedPosition: (db) => findArchivedPosition(db, userId, 'claim', claim.id),
    findClaim: (db) => findClaim(db, userId, address),
    readClaimAndLog: (db) => readClaimAndLog(db, userId, address),
    readShortClaims: (db) => readShortClaims(db, [{ userId, address }]),
    readLogPage: (db) => readLogPage(db, claim.id, 0),
    readEvents: (db) => readEvents(db, [{ claimId: claim.id, id: 'an-event', payloadBytes: 2 }]),
    readClaimsToDecide: (db) => readClaimsToDecide(db, new Map([[claim.id, ['an-event']]])),
    readLongLog: (db) => readLongLog(db, claim.id, { onClaim: () => {}, onDecisive: async () => {} }),
    readDueGroups: (db) => readDueGroups(db, new Date(), [claim.id]),
  }
  for (const [name, read] of Object.entries(reads)) {
    test(name, async () => {
      const tasks: string[] = []
      const watched = connectionOf(async <Row>({ text, values = [] }: Parameters<Connection['query']>[0]) => {
        const literal = text.replaceAll(/\$(\d+)/g, (_, n) => literalOf(values[Number(n) - 1]))
        const { rows } = await client.query(`EXPLAIN ${literal}`)
        tasks.push(...rows.map((row) => row['QUERY PLAN']).filter((line) => /Task Count/.test(line)))
        return (await client.query(text, values as unknown[])).rows as Row[]
      })
      await read({ ...watched, distribution: app.db.distribution })
      assert.deepEqual([...new Set(tasks.map((line) => line.trim()))], ['Task Count: 1'])
    })
  }

  test('a statement for a shard that is not on the node fails with a transient error, and the distribution is read again', async () => {
    const { rows } = await client.query(
      `SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'claims'::regclass
         AND shardid <> get_shard_id_for_distribution_column('claims', $1::uuid)
         AND NOT EXISTS (SELECT FROM pg_dist_placement own JOIN pg_dist_placement other USING (groupid)
           WHERE own.shardid = get_shard_id_for_distribution_column('claims', $1::uuid)
             AND other.shardid = pg_dist_shard.shardid) LIMIT 1`,
      [claim.id],
    )
    const shard = { lowest: 0, id: rows[0]?.shardid, node: 0 }
    const statement = { name: 'astray', text: 'SELECT 1', columns: 'one integer' }
    const part = { shard, claimId: claim.id, items: [] }
    await assert.rejects(
      queryInShards(app.db, statement, [[part]], () => []),
      isTransient,
    )
    assert.equal(app.db.distribution.isStale, true)
  })

  test('the functions are handed on to the machine of the claim, that of the version before too', async () => {
    const { rows } = await client.query(
      `SELECT objid::regproc::text AS name FROM pg_dist_object
       WHERE classid = 'pg_proc'::regclass AND distribution_argument_index = 0 ORDER BY name`,
    )
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['in_shard', 'in_shards'],
    )
  })

  describe('a statement in shards', async () => {
    const db = new Database({
      connectionString: databaseUrl,
      poolSize: 16,
      distribution: app.db.distribution,
    })
    after(() => db.close())
    // One connection, which the coordinator gives one to each machine.
    const on = <T>(work: (connection: Connection) => Promise<T>) =>
      db.submissions.for(SERVICE_ACCOUNT).withConnection(work)
    const query = async (db: Connection, statement: ShardStatement, values: readonly unknown[]) =>
      queryInShards(db, statement, await nodesOf(db, [claim.id as string], (id) => id), () => values)
    const titleOf = (title: string): ShardStatement => ({
      name: 'title',
      text: `SELECT id, '${title}' || $1::text AS title FROM {{claims}} WHERE id = $2::uuid`,
      columns: 'id uuid, title text',
    })

    test('that was first run in a transaction which was taken back runs again', async () => {
      await on(async (connection) => {
        const run = (db: Connection) => query(db, titleOf('once more'), ['!', claim.id])
        const undone = connection.transaction(async (inside) => {
          await run(inside)
          throw new Error('taken back')
        })
        await assert.rejects(undone, { message: 'taken back' })
        for (let n = 0; n < 2; n++)
          assert.deepEqual(await run(connection), [{ id: claim.id, title: 'once more!' }])
      })
    })

    test('takes whatever a text can hold as it is', async () => {
      for (const value of [
        "'",
        '"',
        '\\',
        "\\' OR true --",
        '{{claims}}',
        '$1',
        '%L',
        'null',
        '',
        '\u{1F600}\n\t\u0001',
      ]) {
        const rows = await on(async (db) => query(db, titleOf('said: '), [value, claim.id]))
        assert.deepEqual(rows, [{ id: claim.id, title: `said: ${value}` }])
      }
      const nothing = await on(async (db) => query(db, titleOf('said: '), [null, claim.id]))
      assert.deepEqual(nothing, [{ id: claim.id, title: null }])
    })

    test('is planned anew once its tables have changed', async () => {
      const all: ShardStatement = {
        name: 'all',
        text: 'SELECT * FROM {{claim_metadata}}',
        columns: 'a uuid, b bigint, c bigint, d uuid',
      }
      await on(async (db) => {
        assert.deepEqual(await query(db, all, []), [])
        await client.query('CREATE INDEX of_this_test ON claim_metadata (position)')
        assert.deepEqual(await query(db, all, []), [])
        await client.query('DROP INDEX of_this_test')
        assert.deepEqual(await query(db, all, []), [])
      })
    })
  })
})

const literalOf = (value: unknown) => (value === null ? 'NULL' : pg.escapeLiteral(textOf(value)))
const textOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(',')}}` : String(value)
}
