import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { archiveAll, archiveFolder, growOld, resolvedClaims, storedRows } from '../support/archived-claims.ts'
import { assertError } from '../support/assert-error.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { eventually } from '../support/eventually.ts'
import { movedBy } from '../support/moved-times.ts'
import { restoreClaim } from '../support/source/claims.ts'
import { startTestService } from '../support/test-service.ts'

/* No claim is lost on its way to a file and back, whatever is in the way. */

const service = await startTestService({ after })
const { app, api, sql } = service
const customer = await api.customer('acme')
const rowsOf = (id: string) => storedRows(service, id)
const restore = (folder: string, id: string) => restoreClaim(app, folder, { kind: 'claim', id })

test('claims with unfinished deliveries do not delay later claims, however many they are', async (t) => {
  const folder = await archiveFolder(t)
  const [first = ''] = await resolvedClaims(service, api, customer, 1)
  await growOld(service)
  await sql(COPY_CLAIM, [first, 1_000])
  const awaited = `SELECT id FROM claims WHERE status = 'CONFIRMED' AND test_clock_id IS NULL`
  await sql(
    `INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes, hash,
       previous_hash, next_attempt_at)
     SELECT $1, row_number() OVER (), id, id, 'claim.confirmed', now(), '{}', 2, '', '', now() FROM (${awaited}) AS c`,
    [first],
  )
  const free = await resolvedClaims(service, api, customer, 2)
  await growOld(service, '-35 days')
  await archiveAll(app, folder)
  assert.equal((await api.get(`/v1/claims/${first}`)).status, 200)
  for (const id of free) assertError(await api.get(`/v1/claims/${id}`), 410, 'CLAIM_ARCHIVED')
  await sql('DELETE FROM webhook_deliveries')
  assert.ok((await archiveAll(app, folder)) > 1_000)
})

test('while a claim is archived and restored, no reader gets a 404', async (t) => {
  const folder = await archiveFolder(t)
  const [id = ''] = await resolvedClaims(service, api, customer, 1)
  await growOld(service)
  let isOver = false
  const seen = new Set<number>()
  const read = async () => {
    while (!isOver) {
      seen.add((await api.get(`/v1/claims/${id}`)).status)
      seen.add((await api.get(`/v1/claims/${id}/explanation`)).status)
      seen.add((await api.post(`/v1/claims/${id}/events`, { type: 'done', id: 'late' })).status)
    }
  }
  const readers = Promise.all([read(), read()])
  for (let round = 0; round < 5; round++) {
    assert.ok((await archiveAll(app, folder)) > 0)
    await eventually(async () => seen.has(410))
    await restore(folder, id)
    await eventually(async () => seen.has(200) && seen.has(422))
    await sql(`UPDATE archived_claims SET ${movedBy('-31 days', ['restored_at'])}`)
  }
  isOver = true
  await readers
  seen.delete(503)
  assert.deepEqual([...seen].sort(), [200, 410, 422])
})

test('a long log is written in pieces, and two servers archive each claim once', async (t) => {
  const folder = await archiveFolder(t)
  const ids = await resolvedClaims(service, api, customer, 2)
  const [long = ''] = ids
  await sql(
    `INSERT INTO claim_events SELECT claim_id, n, 'more-' || n, type, json_build_object('value', repeat('x', 50000)), false, created_at
     FROM claim_events, generate_series(4, 40) AS n WHERE claim_id = $1 AND seq = 1`,
    [long],
  )
  await sql(
    `UPDATE claims SET event_count = 40, log_bytes = (SELECT sum(octet_length(payload::text)) FROM claim_events WHERE claim_id = $1)
     WHERE id = $1`,
    [long],
  )
  await growOld(service)
  const rows = await rowsOf(long)
  const left = await Promise.all([archiveAll(app, folder), archiveAll(app, folder)])
  assert.ok(left.includes(0))
  await restore(folder, long)
  assert.deepEqual(await rowsOf(long), rows)
})
