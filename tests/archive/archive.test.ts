import assert from 'node:assert/strict'
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { writeArchiveFile } from '../../src/archive/archive-file.ts'
import { checkArchive } from '../../src/archive/archived-lines.ts'
import { readBatch } from '../../src/archive/claim-archive.ts'
import {
  archiveAll,
  archiveFolder,
  filesIn,
  growOld,
  resolvedClaims,
  storedRows,
} from '../support/archived-claims.ts'
import { assertError } from '../support/assert-error.ts'
import { inAMinute } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { newClaim } from '../support/new-records.ts'
import {
  type ExpectedClaim,
  findClaimsToArchive,
  removeArchivedClaims,
  restoreClaim,
} from '../support/source/claims.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'

/* No claim is lost on its way to a file and back, whatever is in the way. */

const service = await startTestService({ after })
const { app, api, sql } = service
const customer = await api.customer('acme')

const NOBODY = '00000000-0000-0000-0000-000000000000'
const rowsOf = (id: string) => storedRows(service, id)
const restore = (folder: string, id: string) => restoreClaim(app, folder, { kind: 'claim', id })

test('nothing is archived into a missing folder; a file of a failed run is reused by the next one', async (t) => {
  const folder = await archiveFolder(t)
  const ids = await resolvedClaims(service, api, customer, 3)
  await growOld(service)
  await assert.rejects(archiveAll(app, join(folder, 'gone')), /ENOENT/)
  for (const id of ids) assert.equal((await api.get(`/v1/claims/${id}`)).status, 200)
  const year = new Date((await api.readClaim(ids[0] as string)).status_since).getUTCFullYear()
  await writeFile(join(folder, `${year}`), 'no folder')
  await assert.rejects(archiveAll(app, folder), /ENOTDIR/)
  for (const id of ids) assert.equal((await api.get(`/v1/claims/${id}`)).status, 200)
  await rm(join(folder, `${year}`))

  // As a server does that is killed before any claim has left.
  const db = app.db.checks
  const [{ user_id: userId } = {}] = await sql('SELECT user_id FROM claims WHERE id = $1', [ids[0]])
  const batch = await findClaimsToArchive(db, userId as string, new Date(), [], 1_000)
  const none = new Date(0)
  const write = () =>
    writeArchiveFile(folder, readBatch(app, batch, []), `${year}`, (sha256) => `${sha256}.gz`)
  const file = await write()
  assert.deepEqual(await write(), file)
  const noted = await sql(
    'SELECT id, hashtextextended(metadata::text, 0) AS digest FROM claims WHERE id = ANY ($1)',
    [ids],
  )
  const digests = new Map(noted.map(({ id, digest }) => [id, digest]))
  const old = batch
    .filter(({ id }) => ids.includes(id))
    .map((one) => ({ ...one, contractHash: null, metadataDigest: digests.get(one.id) as string }))
  assert.equal(old.length, 3)
  // It may be a server's that is just at it.
  assert.deepEqual((await checkArchive(app, folder)).orphans, [])
  const hours = (await stat(join(folder, file.path))).mtimeMs / 1_000 - 2 * 3_600
  await utimes(join(folder, file.path), hours, hours)
  assert.deepEqual((await checkArchive(app, folder)).orphans, [file.path])
  // Another write renews its time.
  assert.deepEqual(await write(), file)
  assert.deepEqual((await checkArchive(app, folder)).orphans, [])
  await writeFile(join(folder, file.path), 'half of it')
  assert.deepEqual(await write(), file)
  assert.deepEqual(await filesIn(folder), [file.path])

  assert.ok((await archiveAll(app, folder)) >= 3)
  assertError(await api.get(`/v1/claims/${ids[0]}`), 410, 'CLAIM_ARCHIVED')
  for (const id of ids) await restore(folder, id)
  // Who was held up meanwhile removes nothing that came back.
  const month = new Date(Date.now() - 30 * 24 * 3_600_000)
  assert.equal(await removeArchivedClaims(db, old, NOBODY, month), 0)
  assert.equal(
    await removeArchivedClaims(
      db,
      old.map((one) => ({ ...one, eventCount: 9 })),
      userId as string,
      none,
    ),
    0,
  )
  for (const id of ids) assert.equal((await api.get(`/v1/claims/${id}`)).status, 200)
})

test('a claim whose metadata changes meanwhile stays, and is archived later with the new metadata', async (t) => {
  const folder = await archiveFolder(t)
  const [id = ''] = await resolvedClaims(service, api, customer, 1)
  await growOld(service)
  const [{ user_id: userId } = {}] = await sql('SELECT user_id FROM claims WHERE id = $1', [id])
  const db = app.db.checks
  const batch = await findClaimsToArchive(db, userId as string, new Date(), [], 1_000)
  const read: ExpectedClaim[] = []
  await writeArchiveFile(folder, readBatch(app, batch, read), 'folder', (sha256) => `${sha256}.gz`)
  assert.equal((await api.patch(`/v1/claims/${id}`, { metadata: { late: 'x' } })).status, 200)
  const those = read.filter((one) => one.id === id)
  assert.equal(those.length, 1)
  assert.equal(await removeArchivedClaims(db, those, NOBODY, new Date(0)), 0)
  const before = await rowsOf(id)

  await archiveAll(app, folder)
  assertError(await api.patch(`/v1/claims/${id}`, { metadata: {} }), 410, 'CLAIM_ARCHIVED')
  await restore(folder, id)
  assert.deepEqual(await rowsOf(id), before)
  assert.equal((await api.readClaim(id)).metadata.late, 'x')
  const { body } = await api.get('/v1/claims?metadata[late]=x')
  assert.deepEqual(
    body.data.map((one: { id: string }) => one.id),
    [id],
  )
})

test('a claim is restored from its file alone', async (t) => {
  const folder = await archiveFolder(t)
  const [id = ''] = await resolvedClaims(service, api, customer, 1)
  await growOld(service)
  await archiveAll(app, folder)
  const [path = ''] = (await filesIn(folder)).filter((name) => name.endsWith('.gz'))
  const file = join(folder, path)
  const bytes = await readFile(file)
  await rename(file, `${file}.away`)
  await assert.rejects(restore(folder, id), /^OperatorError: \S+ cannot be read: ENOENT/)
  const changed = gunzipSync(bytes).toString().replace('"CONFIRMED"', '"FAILED"')
  await writeFile(file, gzipSync(changed))
  await assert.rejects(restore(folder, id), /^OperatorError: \S+ was changed: the SHA-256/)
  const { faults, orphans } = await checkArchive(app, folder)
  assert.ok(faults.some((fault) => fault.includes(path)))
  assert.deepEqual(orphans, [])
  assertError(await api.get(`/v1/claims/${id}`), 410, 'CLAIM_ARCHIVED')
  await rename(`${file}.away`, file)
  await restore(folder, id)
  assert.equal((await api.readClaim(id)).status, 'CONFIRMED')
})

test('only claims without pending work are archived', async (t) => {
  const folder = await archiveFolder(t)
  const open = await newClaim(api)
  const clock = (await api.post('/v1/test_clocks', { frozen_time: '2020-01-01T00:00:00Z' })).body.id
  const onClock = {
    customer_id: customer,
    contract: contractWith({ review_window: 0 }),
    test_clock_id: clock,
  }
  const { id } = (await api.post('/v1/claims', onClock)).body
  await api.post(`/v1/claims/${id}/events`, { type: 'done' })
  await api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: '2020-02-01T00:00:00Z' })
  const [notified = '', sent = '', free = ''] = await resolvedClaims(service, api, customer, 3)
  const kept = await sql('SELECT * FROM notifications WHERE subject_id = $1', [notified])
  assert.ok(kept.length > 0)
  await growOld(service)
  await sql(
    `INSERT INTO notifications (number, user_id, subject_id, kind, sequence, status_since, created_at)
     SELECT 1, user_id, id, 'confirmed', 3, status_since, status_since FROM claims WHERE id = $1`,
    [notified],
  )
  await sql(
    `INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes, hash,
       previous_hash, next_attempt_at) VALUES ($1, 1, $1, $1, 'claim.confirmed', now(), '{}', 2, '', '', now())`,
    [sent],
  )
  await archiveAll(app, folder)
  assertError(await api.get(`/v1/claims/${free}`), 410, 'CLAIM_ARCHIVED')
  for (const one of [open.id, id, notified, sent])
    assert.equal((await api.get(`/v1/claims/${one}`)).status, 200)
  await sql('DELETE FROM notifications')
  await sql('DELETE FROM webhook_deliveries')
  // Neither before it is summed up, nor for less than a day with few others.
  await sql("UPDATE resolution_mark SET up_to = now() - interval '50 days'")
  assert.equal(await archiveAll(app, folder), 0)
  await sql("UPDATE resolution_mark SET up_to = now() - interval '1 hour'")
  assert.equal(await archiveAll(app, folder, 40), 0)
  assert.ok((await archiveAll(app, folder, 35)) >= 2)
  assertError(await api.get(`/v1/claims/${sent}`), 410, 'CLAIM_ARCHIVED')
})

test('a claim is found even if its events contain other line separators', async (t) => {
  const folder = await archiveFolder(t)
  const { id } = await api.claim(customer, contractWith({ review_window: 0 }))
  const { id: other } = await api.claim(customer, contractWith({ review_window: 0 }))
  const text = `\u2028\u2029\u0085\r{"format":1,"id":"${other}"`
  for (const claim of [id, other])
    for (const [i, note] of [text, '\u2028'.repeat(20_000)].entries())
      assert.equal(
        (await api.post('/v1/events', { claim_id: claim, type: 'seen', id: `${i}`, note })).status,
        201,
      )
  for (const claim of [id, other])
    assert.equal((await api.post(`/v1/claims/${claim}/events`, { type: 'done' })).status, 201)
  await runScheduledCheck(app, inAMinute())
  await growOld(service)
  const rows = [await rowsOf(id), await rowsOf(other)]
  assert.ok((await archiveAll(app, folder)) >= 2)
  for (const claim of [id, other]) await restore(folder, claim)
  assert.deepEqual([await rowsOf(id), await rowsOf(other)], rows)
})

test('a claim whose log is too long for a line is not archived', async (t) => {
  const folder = await archiveFolder(t)
  const [id = ''] = await resolvedClaims(service, api, customer, 1)
  await growOld(service)
  await sql('UPDATE claims SET log_bytes = $2 WHERE id = $1', [id, 64 * 1024 * 1024])
  await archiveAll(app, folder)
  assert.equal((await api.get(`/v1/claims/${id}`)).status, 200)
})
