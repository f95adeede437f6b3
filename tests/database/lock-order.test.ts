import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { holdClaims, holdInsertBarrier } from '../support/held-rows.ts'
import { namedEvents } from '../support/named-events.ts'
import { insertClaims, insertCustomers, type NewClaim, newContract } from '../support/source/claims.ts'
import { type Connection, Pool, SERVICE_ACCOUNT } from '../support/source/database.ts'
import {
  type Append,
  appendEvents,
  decideGroups,
  moveGroups,
  readClaimsToDecide,
  readDueGroups,
} from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'

/*
 * A statement that changes several claims locks them in the order of their ids, whatever the plan. So two such statements
 * never deadlock.
 */

const service = await startTestService({ after })
const { distribution } = service.app.db
const pool = new Pool({ connectionString: service.databaseUrl, size: 1, distribution })
after(() => pool.close())
const db = pool.for(SERVICE_ACCOUNT)
const customer = await service.api.customer('acme')
const terms = contractWith({ activity_window: 0.001 })

async function append(connection: Connection, ids: readonly string[]): Promise<void> {
  const appends: Append[] = []
  const { claims } = await readClaimsToDecide(connection, namedEvents(ids))
  // In the order of `ids`, the order in which the events arrive.
  const inOrder = [...claims].sort((a, b) => ids.indexOf(a.claim.id) - ids.indexOf(b.claim.id))
  for (const { claim, lastAt } of inOrder) {
    appends.push({
      seen: claim,
      lastAt,
      events: [{ submission: { id: 'first', type: 'seen' }, payloadJson: '{}' }],
      bytes: 2,
      digest: null,
      becomes: null,
    })
  }
  await appendEvents(connection, appends, { kind: 'live' })
}

async function move(connection: Connection, ids: readonly string[]): Promise<void> {
  const time = new Date(Date.now() + 3_600_000)
  const moves = decideGroups(await readDueGroups(connection, time, ids), time)
  assert.deepEqual(
    moves.map(({ count }) => count),
    [ids.length],
  )
  await moveGroups(connection, moves, 0)
}

describe('claims are locked in the order of their ids', () => {
  for (const { claims, state } of [
    { claims: 60 * distribution.shards, state: 'few, not analysed' },
    { claims: 6_000, state: 'many, not analysed' },
    { claims: 0, state: 'many, analysed' },
  ]) {
    test(`where there are ${state}`, async (t) => {
      const { id } = await service.api.claim(customer, terms)
      await service.sql(COPY_CLAIM, [id, claims])
      if (claims === 0) await service.sql('ANALYZE claims')
      for (const change of [append, move]) {
        for (const count of [20, 40]) {
          const rows = await service.sql('SELECT id FROM claims ORDER BY md5(id::text)')
          // Of distributed tables, those of one shard: from shard to shard one goes in their order.
          const ofShard = rows.map((row) => String(row.id)).filter((id) => distribution.shardOf(id) === 0)
          const ids = ofShard.slice(0, count)
          const [middle] = ids.toSorted().slice(count / 2) as [string]
          const held = await holdClaims(t, service.databaseUrl, [middle])
          const changing = assert.rejects(
            db.transaction(async (connection) => {
              await change(connection, ids)
              throw new Error('roll it back')
            }),
            { message: 'roll it back' },
          )
          await held.untilStatementsWait()
          const free = await service.sql(
            'SELECT id FROM claims WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED',
            [ids],
          )
          await held.release()
          await changing
          assert.deepEqual(
            free.map((row) => row.id),
            ids.filter((id) => id > middle).sort(),
            `${change.name} of ${count}`,
          )
        }
      }
    })
  }
})

describe('the insert barriers of several accounts are taken in one order', () => {
  for (const list of ['claims', 'customers'] as const) {
    test(list, async (t) => {
      const users = [randomUUID(), randomUUID()] as const
      const keys = await service.sql(
        'SELECT u AS user, hashtext(u) AS key FROM unnest($1::text[]) AS u ORDER BY key',
        [users],
      )
      const [first, second] = keys.map((row) => String(row.user)) as [string, string]
      const add = {
        customers: () =>
          insertCustomers(
            db,
            [second, first].map((userId) => ({ userId, externalId: 'acme', name: null, metadata: {} })),
          ),
        claims: () => insertClaims(db, [second, first].map(claimOf)),
      }
      for (const held of [first, second]) {
        const reader = await holdInsertBarrier(t, service.databaseUrl, list, held)
        const adding = add[list]()
        await reader.untilStatementsWait()
        const taken = await service.sql(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ShareLock'
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
             AND classid::bigint = hashtext($1)::bigint & x'ffffffff'::bigint
             AND objid::bigint = hashtext($2)::bigint & x'ffffffff'::bigint`,
          [list, first],
        )
        assert.equal(
          taken.length,
          held === first ? 0 : 1,
          `while ${held === first ? 'the first' : 'the second'} is held`,
        )
        await reader.release()
        await adding
      }
    })
  }
})

const claimOf = (userId: string): NewClaim => ({
  address: { kind: 'claim', id: randomUUID() },
  userId,
  customerId: randomUUID(),
  reference: null,
  seed: null,
  customerExternalId: null,
  contract: newContract(terms),
  schemaId: null,
  schemaVersion: null,
  metadata: {},
  testClockId: null,
})
