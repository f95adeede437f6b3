import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { beginKeys, removeOldKeys } from '../../src/idempotency/idempotency-key-store.ts'
import { sharedService } from '../support/shared.ts'
import type { Connection, Statement } from '../support/source/database.ts'

test('a key that is removed just when it is asked again is begun anew', async () => {
  const { db } = (await sharedService()).app
  const userId = randomUUID()
  const [old, other] = ['old', 'other'].map((key) => ({ userId, key, digest: randomBytes(32) }))
  assert.ok(old && other)
  const [before] = await beginKeys(db, [old])

  let removed = 0
  const removing: Connection = {
    distribution: db.distribution,
    transaction: (work) => db.transaction(work),
    query: async <Row>(statement: Statement): Promise<Row[]> => {
      if (statement.name === 'find_idempotency_keys' && removed === 0) {
        await db.query({
          text: `UPDATE idempotency_keys SET created_at = created_at - interval '24 hours' WHERE key = 'old'`,
        })
        removed = await removeOldKeys(db, 10)
      }
      return db.query<Row>(statement)
    },
  }
  const [begun, beside] = await beginKeys(removing, [old, other])
  assert.equal(removed, 1)
  assert.ok(before && begun && beside)
  assert.notEqual(begun.seed, before.seed)
  assert.equal(begun.isKnown, false)
  assert.deepEqual(await beginKeys(db, [old, other]), [
    { ...begun, isKnown: true },
    { ...beside, isKnown: true },
  ])
})

test('two accounts that begin the same key at once have a key each (§4.17 rule 1)', async () => {
  const { db } = (await sharedService()).app
  const digests = [randomBytes(32), randomBytes(32)]
  const asked = digests.map((digest) => ({ userId: randomUUID(), key: 'shared', digest }))
  const begun = await beginKeys(db, asked)
  assert.ok(begun.every((key) => key?.isKnown === false))
  assert.notEqual(begun[0]?.seed, begun[1]?.seed)
  assert.deepEqual(
    await beginKeys(db, asked.toReversed()),
    begun.toReversed().map((key) => ({ ...key, isKnown: true })),
  )
})
