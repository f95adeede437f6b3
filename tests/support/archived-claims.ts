import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiClient } from './api-client.ts'
import { inAMinute } from './check-time.ts'
import { contractWith } from './contracts.ts'
import { movedBy, TIMES_OF_CLAIM } from './moved-times.ts'
import { newSchema, uniqueName } from './new-records.ts'
import { ClaimArchive } from './source/claims.ts'
import { runScheduledCheck } from './source/decisions.ts'
import type { App } from './source/service.ts'
import type { Scope } from './test-database.ts'
import type { TestService } from './test-service.ts'

/** A folder for an archive. Removed after the test. */
export async function archiveFolder(t: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-archive-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Resolved claims, each with two events of the caller and one of the service. */
export async function resolvedClaims(
  { app }: Pick<TestService, 'app'>,
  api: ApiClient,
  customer: string,
  count: number,
): Promise<string[]> {
  const { id: schema_id } = await newSchema(api, { review_window: 0, price: 12.5 })
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const metadata = { order: `A-${i}`, 'a "key"': 'ключ' }
    const claim = { customer_id: customer, schema_id, reference: uniqueName('reference'), metadata }
    const { id } = (await api.post('/v1/claims', claim)).body
    for (const event of [
      { type: 'progress', id: 'first', value: 0.1, note: 'naïve "quoted"\n' },
      { type: 'done' },
    ])
      assert.equal((await api.post(`/v1/claims/${id}/events`, event)).status, 201)
    ids.push(id)
  }
  await runScheduledCheck(app, inAMinute())
  return ids
}

/** The same for a candidate, by its alias. */
export async function resolvedCandidate({ app }: Pick<TestService, 'app'>, api: ApiClient): Promise<string> {
  const { body } = await api.post('/v1/customers', { external_id: uniqueName('customer') })
  const alias = uniqueName('candidate')
  const contract = contractWith({ review_window: 0 })
  const candidate = { candidate_alias: alias, customer_uuid: body.external_id, contract }
  assert.equal((await api.post('/v1/candidates', candidate)).status, 201)
  assert.equal((await api.post('/v1/events', { candidate_alias: alias, type: 'done' })).status, 201)
  await runScheduledCheck(app, inAMinute())
  return alias
}

/** Paths of files in an archive. */
export const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((path) => path.includes('.')).sort()

/** All rows of a claim and its log. */
export const storedRows = async ({ sql }: Pick<TestService, 'sql'>, id: string) => [
  ...(await sql('SELECT to_jsonb(c) AS row FROM claims c WHERE id = $1', [id])),
  ...(await sql('SELECT to_jsonb(e) AS row FROM claim_events e WHERE claim_id = $1 ORDER BY seq', [id])),
]

/** Moves all records to an earlier time and removes their notifications, as retention would. */
export async function growOld({ sql }: Pick<TestService, 'sql'>, interval = '-40 days'): Promise<void> {
  await sql(`UPDATE claims SET ${movedBy(interval, TIMES_OF_CLAIM)}`)
  await sql(`UPDATE claim_events SET ${movedBy(interval, ['created_at'])}`)
  await sql('DELETE FROM notifications')
}

/** Archives all claims that were resolved at least 30 days ago. Returns their number. */
export const archiveAll = (app: App, folder: string, days = 30): Promise<number> =>
  new ClaimArchive(app, { days, folder }).archiveSome(() => false)
