import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { insertOrFindKeys, removeOldKeys } from '../../src/idempotency/idempotency-key-store.ts'
import { sharedService } from '../support/shared.ts'
import type { Connection, Statement } from '../support/source/database.ts'

test('an expired key that is removed while a request repeats it is inserted again', async () => {
  const { db } = (await sharedService()).app
  const userId = randomUUID()
  const [old, other] = ['old', 'other'].map((key) => ({ userId, key, digest: randomBytes(32) }))
  assert.ok(old && other)
  const [first] = await insertOrFindKeys(db, [old])

  let removed = 0
  const removesOldKey: Connection = {
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
  const [inserted, otherKey] = await insertOrFindKeys(removesOldKey, [old, other])
  assert.equal(removed, 1)
  assert.ok(first && inserted && otherKey)
  assert.notEqual(inserted.seed, first.seed)
  assert.equal(inserted.isKnown, false)
  assert.deepEqual(await insertOrFindKeys(db, [old, other]), [
    { ...inserted, isKnown: true },
    { ...otherKey, isKnown: true },
  ])
})

test('two accounts that use the same key in one statement have a key each (§4.17 rule 1)', async () => {
  const { db } = (await sharedService()).app
  const digests = [randomBytes(32), randomBytes(32)]
  const keys = digests.map((digest) => ({ userId: randomUUID(), key: 'shared', digest }))
  const inserted = await insertOrFindKeys(db, keys)
  assert.ok(inserted.every((key) => key?.isKnown === false))
  assert.notEqual(inserted[0]?.seed, inserted[1]?.seed)
  assert.deepEqual(
    await insertOrFindKeys(db, keys.toReversed()),
    inserted.toReversed().map((key) => ({ ...key, isKnown: true })),
  )
})
