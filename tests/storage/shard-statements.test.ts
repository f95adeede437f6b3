import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { findArchivedClaims, findArchivedPosition } from '../../src/storage/archive/archived-claims.ts'
import { readDueKinds } from '../../src/storage/claim-writes/due-claims.ts'
import {
  readClaimAndLog,
  readEvents,
  readLogPage,
  readShortClaims,
} from '../../src/storage/claims/claim-log.ts'
import { findClaim } from '../../src/storage/claims/claims.ts'
import { readClaimsToDecide } from '../../src/storage/claims/claims-to-decide.ts'
import { readLongLog } from '../../src/storage/claims/long-log.ts'
import type { Connection } from '../../src/storage/database/connection.ts'
import { isPassing } from '../../src/storage/database/database-unavailable.ts'
import { queryInShards } from '../../src/storage/distribution/in-shards.ts'
import { connectionOf } from '../support/connection-of.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { newClaim } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

/* A statement that Citus sends to all machines costs each of them, and fails if one is away. */

describe('what is about one claim is asked of one machine', {
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
    readDueKinds: (db) => readDueKinds(db, new Date(), [claim.id]),
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

  test('what is not there is neither read nor written: it is tried again', async () => {
    const { rows } = await client.query(
      `SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'claims'::regclass
         AND shardid <> get_shard_id_for_distribution_column('claims', $1::uuid)
         AND NOT EXISTS (SELECT FROM pg_dist_placement own JOIN pg_dist_placement other USING (groupid)
           WHERE own.shardid = get_shard_id_for_distribution_column('claims', $1::uuid)
             AND other.shardid = pg_dist_shard.shardid) LIMIT 1`,
      [claim.id],
    )
    const shard = { lowest: 0, id: rows[0]?.shardid, machine: 0 }
    const statement = { name: 'astray', text: 'SELECT 1', columns: 'one integer' }
    const part = { shard, claimId: claim.id, values: [] }
    await assert.rejects(queryInShards(app.db, statement, [part]), isPassing)
    assert.equal(app.db.distribution.isStale, true)
  })
})

const literalOf = (value: unknown) => (value === null ? 'NULL' : pg.escapeLiteral(textOf(value)))
const textOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(',')}}` : String(value)
}
