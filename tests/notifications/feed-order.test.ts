import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import type { ApiClient } from '../support/api-client.ts'
import { connectionOf } from '../support/connection-of.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus, urlsOfDatabase } from '../support/database-nodes.ts'
import { holdClaims } from '../support/held-rows.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import type { Statement } from '../support/source/database.ts'
import { ANNOUNCE, announceOfAccount, insertNotifications, readSettled } from '../support/source/webhooks.ts'
import type { Scope } from '../support/test-database.ts'

/* Notifications that are committed later than their numbers are taken. */

const { api, app, databaseUrl, newAccount } = await sharedService()

async function session(t: Scope, url = databaseUrl): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end())
  return client
}

/** Of a claim in a transaction that is still open, as the service's own writes do it. */
async function notifyLate(client: pg.Client, userId: string, claimId: string): Promise<void> {
  await client.query('BEGIN')
  await client.query(ANNOUNCE)
  await client.query(insertNotifications("SELECT $1::uuid, $2::uuid, 'pending', 7, now(), now(), 'FAILED'"), [
    userId,
    claimId,
  ])
}

async function read(api: ApiClient, after?: string) {
  const { status, body } = await api.get(
    `/v1/notifications?limit=100${after === undefined ? '' : `&after=${after}`}`,
  )
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const typesOf = ({ data }: { data: { type: string }[] }) => data.map(({ type }) => type)
const userIdOf = async (api: ApiClient) => (await api.get('/v1/me')).body.id

describe('a notification that is committed late', () => {
  test('is skipped by no reader: higher numbers appear after it', async (t) => {
    const client = await session(t)
    const claim = await newClaim(api)
    const before = await read(api)
    await notifyLate(client, claim.user_id, claim.id)
    const waiting = api.get(`/v1/notifications?after=${before.next_cursor}&wait=30`)
    const customer = await newCustomer(api)
    for (let i = 0; i < 5; i++) await api.claim(customer.id, contractWith())
    assert.deepEqual((await read(api, before.next_cursor)).data, [])
    assert.deepEqual(typesOf(await read(api)), typesOf(before))
    await client.query('COMMIT')
    const all = await read(api, before.next_cursor)
    assert.deepEqual(typesOf(all), ['claim.pending', ...new Array(5).fill('claim.created')])
    assert.equal(typesOf((await waiting).body)[0], 'claim.pending')
  })

  test('or never, delays later notifications only while its transaction is open', async (t) => {
    const client = await session(t)
    const claim = await newClaim(api)
    const { next_cursor } = await read(api)
    await notifyLate(client, claim.user_id, claim.id)
    await newClaim(api)
    assert.deepEqual((await read(api, next_cursor)).data, [])
    await client.query('ROLLBACK')
    assert.deepEqual(typesOf(await read(api, next_cursor)), ['claim.created'])
  })

  test('because its claim is locked, delays no feed: it has no number yet', async (t) => {
    const [one, other] = [await newAccount(), await newAccount()]
    const { id } = await newClaim(one)
    const held = await holdClaims(t, databaseUrl, [id])
    const sent = one.post(`/v1/claims/${id}/events`, { id: 'last', type: 'done' })
    await held.untilStatementsWait()
    await newClaim(other)
    assert.deepEqual(typesOf(await read(other)), ['claim.created'])
    await held.release()
    assert.equal((await sent).body.claim.status, 'PENDING')
    assert.deepEqual(typesOf(await read(one)), ['claim.created', 'claim.pending'])
  })

  test('in a long transaction of an account, delays only the feed of that account', async (t) => {
    const one = await newAccount()
    // One in 256 accounts goes with it.
    const others = [await newAccount(), await newAccount()]
    const client = await session(t)
    await client.query('BEGIN')
    const runQuery = async ({ text, values }: Statement) =>
      (await client.query(text, values as unknown[])).rows
    await announceOfAccount(connectionOf(runQuery), await userIdOf(one))
    for (const api of [one, ...others]) await newClaim(api)
    assert.deepEqual((await read(one)).data, [])
    const pages = await Promise.all(others.map((api) => read(api)))
    assert.ok(pages.some((page) => typesOf(page)[0] === 'claim.created'))
    await client.query('COMMIT')
    assert.deepEqual(typesOf(await read(one)), ['claim.created'])
  })

  test('on any node, delays the feed until it is visible', { skip: !isOnCitus() }, async (t) => {
    const userId = await userIdOf(api)
    const settled = () => readSettled(app.db.reads.for(userId), userId)
    const before = await settled()
    for (const url of urlsOfDatabase(databaseUrl)) {
      const machine = await session(t, url)
      await machine.query('BEGIN')
      const bound = before - 1n
      await machine.query('SELECT pg_advisory_xact_lock_shared(1129011301::bigint << 32 | $1)', [`${bound}`])
      assert.equal(await settled(), bound)
      await machine.query('COMMIT')
      assert.ok((await settled()) >= before)
    }
  })
})
