import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  archiveAll,
  archiveFolder,
  filesIn,
  growOld,
  resolvedCandidate,
  resolvedClaims,
  storedRows,
} from '../support/archived-claims.ts'
import { assertError } from '../support/assert-error.ts'
import { inAMinute } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { movedBy } from '../support/moved-times.ts'
import { candidatePath } from '../support/new-records.ts'
import { readPages } from '../support/read-pages.ts'
import { restoreClaim } from '../support/source/claims.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'

/* What callers see of claims that were resolved long ago, leave for files, and come back (§4.15). */

const service = await startTestService({ after })
const { app, api, sql } = service
const customer = await api.customer('acme')

const rowsOf = (id: string) => storedRows(service, id)
const restore = (folder: string, id: string) => restoreClaim(app, folder, { kind: 'claim', id })
const list = async (): Promise<string[]> =>
  (await readPages(api, '/v1/claims', { limit: 2 })).flat().map(({ id }) => id)

test('a claim is archived completely, answers 410 with its file, and is restored unchanged at its position (§4.15 rules 1 to 3, 5)', async (t) => {
  const folder = await archiveFolder(t)
  const ids = await resolvedClaims(service, api, customer, 5)
  const [gone = '', ...others] = ids
  await growOld(service)
  const young = await resolvedClaims(service, api, customer, 1)
  const before = await list()
  const original = await api.readClaim(gone)
  const rows = await rowsOf(gone)
  const { statuses } = (await api.get('/v1/overview')).body

  assert.equal(await archiveAll(app, folder), 5)
  const [file = '', ...more] = await filesIn(folder)
  assert.deepEqual(more, [])
  const lines = gunzipSync(await readFile(join(folder, file)))
    .toString()
    .trimEnd()
    .split('\n')
  assert.deepEqual(lines.map((line) => JSON.parse(line).id).sort(), ids.toSorted())
  assert.deepEqual(await sql('SELECT FROM claim_events WHERE claim_id = $1', [gone]), [])

  const paths = [`/v1/claims/${gone}`, `/v1/claims/${gone}/explanation`]
  for (const path of paths) {
    const answer = await api.get(path)
    assertError(answer, 410, 'CLAIM_ARCHIVED')
    assert.ok(answer.body.error.message.includes(file))
  }
  const event = { type: 'progress', id: 'first', value: 0.1, note: 'naïve "quoted"\n' }
  assertError(await api.post(`/v1/claims/${gone}/events`, event), 410, 'CLAIM_ARCHIVED')
  const batch = {
    events: [
      { ...event, claim_id: gone },
      { claim_id: young[0], type: 'late' },
    ],
  }
  const { results } = (await api.post('/v1/events/batch', batch)).body
  assert.deepEqual(
    results.map((one: { status: number }) => one.status),
    [410, 422],
  )
  assert.deepEqual(
    await list(),
    before.filter((id) => !ids.includes(id)),
  )
  assert.deepEqual((await api.get(`/v1/notifications?claim_id=${gone}`)).body.data, [])
  assert.deepEqual((await api.get('/v1/overview')).body.statuses, statuses)
  // A reader whose cursor is the archived claim continues.
  const next = await api.get(`/v1/claims?after=${others.at(-1)}&limit=1`)
  assert.deepEqual(
    next.body.data.map(({ id }: { id: string }) => id),
    young,
  )
  const stranger = await service.newAccount()
  assertError(await stranger.get(`/v1/claims/${gone}`), 404, 'CLAIM_NOT_FOUND')
  assertError(await stranger.post(`/v1/claims/${gone}/events`, event), 404, 'CLAIM_NOT_FOUND')
  assertError(await stranger.get(`/v1/claims?after=${gone}`), 400, 'VALIDATION_ERROR', 'after')

  await restore(folder, gone)
  assert.deepEqual(await rowsOf(gone), rows)
  assert.deepEqual(await api.readClaim(gone), original)
  assert.deepEqual(
    await list(),
    before.filter((id) => id === gone || !ids.includes(id)),
  )
  await assert.rejects(restore(folder, gone), /was restored already/)
  assert.equal(
    (await api.post(`/v1/claims/${gone}/events`, event)).headers.get('idempotent-replayed'),
    'true',
  )
  // It stays for as long again.
  assert.equal(await archiveAll(app, folder), 0)
  await sql(`UPDATE archived_claims SET ${movedBy('-31 days', ['restored_at'])} WHERE id = $1`, [gone])
  assert.equal(await archiveAll(app, folder), 1)
  await restore(folder, gone)
  assert.deepEqual(await rowsOf(gone), rows)
  for (const id of others) await restore(folder, id)
  assert.deepEqual(await list(), before)
  assert.deepEqual((await api.get('/v1/overview')).body.statuses, statuses)
})

test('a claim of an extended contract is archived and restored with all that its decisions left (§2.1a)', async (t) => {
  const folder = await archiveFolder(t)
  const review = { reversal_condition: { event: 'reopened' } }
  const terms = { activity_window: 0.001, review_window: 0.001, review }
  const { id } = await api.claim(customer, contractWith(terms))
  for (const type of ['done', 'reopened']) {
    const { status, body } = await api.post('/v1/events', { claim_id: id, id: type, type })
    assert.deepEqual([status, body.late_by >= 0], [201, true])
  }
  await runScheduledCheck(app, inAMinute())
  await growOld(service)
  const rows = await rowsOf(id)
  assert.ok((await archiveAll(app, folder)) > 0)
  await restore(folder, id)
  assert.deepEqual(await rowsOf(id), rows)
})

test('a claim is restored with its reminders (§2.16)', async (t) => {
  const folder = await archiveFolder(t)
  const contract = contractWith({ activity_window: 0.001, review_window: 0 })
  const created = await api.post('/v1/claims', { customer_id: customer, contract, reminders: [0.9, 0.5] })
  const { id } = created.body
  assert.equal((await api.post('/v1/events', { claim_id: id, type: 'done' })).status, 201)
  await runScheduledCheck(app, inAMinute())
  await growOld(service)
  const original = await api.readClaim(id)
  assert.deepEqual(original.reminders, [0.5, 0.9])
  assert.ok((await archiveAll(app, folder)) > 0)
  await restore(folder, id)
  assert.deepEqual(await api.readClaim(id), original)
})

test('an archived claim’s reference cannot be used again (§4.15 rule 4)', async (t) => {
  const [id = ''] = await resolvedClaims(service, api, customer, 1)
  const { reference } = await api.readClaim(id)
  assert.ok(reference)
  await growOld(service)
  assert.ok((await archiveAll(app, await archiveFolder(t))) > 0)
  const again = { customer_id: customer, reference, contract: contractWith() }
  assertError(await api.post('/v1/claims', again), 409, 'CLAIM_REFERENCE_CONFLICT')
})

test('an archived candidate’s alias cannot be used again (§4.15 rule 4)', async (t) => {
  const folder = await archiveFolder(t)
  const alias = await resolvedCandidate(service, api)
  await growOld(service)
  const original = (await api.get(candidatePath(alias))).body
  assert.ok((await archiveAll(app, folder)) > 0)
  assertError(await api.get(candidatePath(alias)), 410, 'CLAIM_ARCHIVED')
  assertError(await api.post(`${candidatePath(alias)}/events`, { type: 'done' }), 410, 'CLAIM_ARCHIVED')
  assert.equal((await api.get(`/v1/candidates?after=${encodeURIComponent(alias)}`)).status, 200)
  const stranger = await service.newAccount()
  assertError(await stranger.get(candidatePath(alias)), 404, 'CANDIDATE_NOT_FOUND')
  for (const caller of [api, stranger]) {
    const { external_id } = (await caller.post('/v1/customers', { external_id: 'someone' })).body
    const terms = { customer_uuid: external_id ?? 'someone', contract: contractWith({ price: 77 }) }
    const candidate = { candidate_alias: alias, ...terms }
    assertError(await caller.post('/v1/candidates', candidate), 409, 'CANDIDATE_ALIAS_CONFLICT')
    const batch = {
      candidates: [candidate, { ...candidate, candidate_alias: `${alias} of ${caller.token}` }],
    }
    const { results } = (await caller.post('/v1/candidates/batch', batch)).body
    assert.deepEqual(
      results.map((one: { status: number }) => one.status),
      [409, 201],
    )
  }
  await restoreClaim(app, folder, { kind: 'candidate', alias })
  assert.deepEqual((await api.get(candidatePath(alias))).body, original)
})
