import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import { EventLog, hashOfId, writeDigest } from '../support/source/claims.ts'
import { startTestService } from '../support/test-service.ts'

/*
 * A decision about a claim that a server does not know is made from the digest of its log. Each server here knows only
 * what it wrote itself, so one of several that take turns has to read.
 */

const service = await sharedService()
const others = [
  await sharedSecondService(),
  await startTestService({ after }, { databaseUrl: service.databaseUrl, withoutAccount: true }),
]
const { api, sql } = service
const apis = [api, ...others.map((other) => other.clientWith(api.token))]
const customer = await api.customer('acme')
const condition = all({ event: 'a' }, any({ event: 'b', gte: 3 }, not({ event: 'c' })), { event: 'd' })
const openClaim = (): Promise<Answer['body']> =>
  api.claim(customer, contractWith({ fulfillment_condition: condition }))

/** By the server whose turn it is. */
let turn = 0
const submit = (event: object) => (apis[turn++ % apis.length] as typeof api).post('/v1/events', event)
async function recorded(event: object): Promise<string> {
  const { status, body } = await submit(event)
  assert.equal(status, 201)
  return body.claim.status
}

/** What is stored, and what it would be if it was made from the log. */
async function digestsOf(id: string) {
  const [row] = await sql(
    `SELECT encode(log_digest, 'hex') AS digest, last_event_at, contract_hash FROM claims WHERE id = $1`,
    [id],
  )
  const events = await sql('SELECT * FROM claim_events WHERE claim_id = $1 ORDER BY seq', [id])
  const { contract } = await api.readClaim(id)
  const wanted = contract.fulfillment_condition
  const log = EventLog.of(wanted, events as never)
  const created = writeDigest(
    wanted,
    log,
    events.map((event) => hashOfId(event.id as string)),
  )
  return { stored: row?.digest, created, lastAt: row?.last_event_at, lastOfLog: events.at(-1)?.created_at }
}

test('a decision from a digest equals a decision from the log', async () => {
  const { id } = await openClaim()
  const steps = [
    ['noise', 'OPEN'],
    ['c', 'OPEN'],
    ['a', 'OPEN'],
    ['d', 'OPEN'],
  ] as const
  for (const [type, status] of steps) {
    assert.equal(await recorded({ claim_id: id, type, value: 1 }), status)
    const { stored, created, lastAt, lastOfLog } = await digestsOf(id)
    assert.equal(stored, created)
    assert.deepEqual(lastAt, lastOfLog)
  }
  assert.equal(await recorded({ claim_id: id, type: 'b', value: 3 }), 'PENDING')
  const { stored, lastAt } = await digestsOf(id)
  assert.deepEqual([stored, lastAt], [null, null])
})

test('no log is read for it', async () => {
  const { id } = await openClaim()
  for (const type of ['c', 'a', 'd']) await recorded({ claim_id: id, type })
  // A reader of the log would find another type. Only this test changes a log.
  await sql("UPDATE claim_events SET type = 'x' WHERE claim_id = $1", [id])
  assert.equal(await recorded({ claim_id: id, type: 'b', value: 3 }), 'PENDING')
})

test('an event that is there already is found in the log, and compared', async () => {
  const { id } = await openClaim()
  for (const type of ['a', 'noise', 'more']) await recorded({ claim_id: id, id: `the ${type}`, type })
  const again = await submit({ claim_id: id, id: 'the noise', type: 'noise' })
  assert.deepEqual([again.status, again.body.event.type], [200, 'noise'])
  const other = await submit({ claim_id: id, id: 'the noise', type: 'other' })
  assert.deepEqual([other.status, other.body.error.code], [409, 'EVENT_ID_CONFLICT'])
  assert.equal((await api.readClaim(id)).events.length, 3)
})

test('another event whose id has the same hash is recorded', async () => {
  const [one, other] = idsOfOneHash()
  assert.notEqual(one, other)
  const { id } = await openClaim()
  for (const eventId of [one, 'between', other]) await recorded({ claim_id: id, id: eventId, type: 'noise' })
  assert.equal((await submit({ claim_id: id, id: other, type: 'noise' })).status, 200)
  const { stored, created } = await digestsOf(id)
  assert.equal(stored, created)
})

test('events that an older version added count', async () => {
  const { id } = await openClaim()
  for (const type of ['c', 'a']) await recorded({ claim_id: id, type })
  await sql(
    `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
     SELECT $1, 3, 'theirs', 'd', '{}', false, now() + interval '1 second'`,
    [id],
  )
  await sql('UPDATE claims SET event_count = 3, log_bytes = log_bytes + 2 WHERE id = $1', [id])
  assert.equal((await submit({ claim_id: id, id: 'theirs', type: 'd' })).status, 200)
  assert.equal(await recorded({ claim_id: id, type: 'b', value: 3 }), 'PENDING')
  const { events } = await api.readClaim(id)
  const times = events.map((event: { created_at: string }) => event.created_at)
  assert.deepEqual(times, times.toSorted())
})

test('a digest that is damaged is none, and the next event sets it right', async () => {
  const { id } = await openClaim()
  for (const type of ['c', 'a']) await recorded({ claim_id: id, type })
  await sql('UPDATE claims SET log_digest = substr(log_digest, 1, 5) WHERE id = $1', [id])
  // By a server that has no copy of it.
  turn++
  assert.equal(await recorded({ claim_id: id, type: 'd' }), 'OPEN')
  const { stored, created } = await digestsOf(id)
  assert.equal(stored, created)
  assert.equal(await recorded({ claim_id: id, type: 'b', value: 3 }), 'PENDING')
})

test('a log that becomes long is read as ever', async () => {
  const { id } = await openClaim()
  for (let i = 0; i < 10; i++) await recorded({ claim_id: id, id: `${i}`, type: i === 3 ? 'a' : 'c' })
  assert.equal((await digestsOf(id)).stored, null)
  await recorded({ claim_id: id, type: 'd' })
  assert.equal(await recorded({ claim_id: id, type: 'b', value: 3 }), 'PENDING')
})

test('times in a log do not go backwards when only its digest is cached', async () => {
  const { id } = await openClaim()
  await recorded({ claim_id: id, type: 'a' })
  const ahead = "date_trunc('milliseconds', now()) + interval '1 hour'"
  await sql(`UPDATE claim_events SET created_at = ${ahead} WHERE claim_id = $1`, [id])
  await sql(
    'UPDATE claims SET last_event_at = (SELECT created_at FROM claim_events WHERE claim_id = claims.id) WHERE id = $1',
    [id],
  )
  await recorded({ claim_id: id, type: 'd' })
  const { events } = await api.readClaim(id)
  assert.equal(events[1].created_at, events[0].created_at)
})

/** Of some 80,000 there are two. */
function idsOfOneHash(): [string, string] {
  const seen = new Map<number, string>()
  for (let i = 0; ; i++) {
    const id = `event ${i}`
    const same = seen.get(hashOfId(id))
    if (same !== undefined) return [same, id]
    seen.set(hashOfId(id), id)
  }
}
