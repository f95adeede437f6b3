import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  archiveAll,
  archiveFolder,
  growOld,
  resolvedCandidate,
  resolvedClaims,
} from '../support/archived-claims.ts'
import { assertError } from '../support/assert-error.ts'
import { candidatePath } from '../support/new-records.ts'
import { runCli } from '../support/serve-process.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { startTestService } from '../support/test-service.ts'

/* The slow suite has a server that archives by itself. */

const service = await startTestService({ after })
const { api } = service

test('`claimkeeper archive` lists, shows, checks and restores what was archived', async (t) => {
  const folder = await archiveFolder(t)
  const settings = { DATABASE_URL: service.databaseUrl, CLAIMKEEPER_ARCHIVE_DIR: folder }
  const [id = ''] = await resolvedClaims(service, api, await api.customer('acme'), 1)
  const alias = await resolvedCandidate(service, api)
  await growOld(service)
  const { contract } = await api.readClaim(id)
  assert.equal(await archiveAll(service.app, folder), 2)

  const listed = await runCli(['archive', 'list', '--json'], settings)
  assert.deepEqual(
    JSON.parse(listed.stdout).map(({ claims }: { claims: number }) => claims),
    [2],
  )
  const archive = (...args: string[]) => runSharedCli(['archive', ...args], settings)
  const shown = JSON.parse((await archive('show', id)).stdout)
  assert.deepEqual(
    [shown.id, shown.contract, shown.events.length, shown.events[0].payload],
    [id, contract, 3, { value: 0.1, note: 'naïve "quoted"\n' }],
  )
  assert.equal((await archive('check')).status, 0)
  const restored = await archive('restore', '--candidate', alias)
  assert.deepEqual([restored.stdout, restored.status], [`Restored ${alias}.\n`, 0])
  assert.equal((await api.get(candidatePath(alias))).status, 200)
  assertError(await api.get(`/v1/claims/${id}`), 410, 'CLAIM_ARCHIVED')

  const [year = ''] = await readdir(folder)
  await rm(join(folder, year), { recursive: true })
  for (const args of [['restore', id], ['check']]) {
    const { stderr, status } = await archive(...args)
    assert.equal(status, 1)
    assert.match(stderr, /^claimkeeper: .*(cannot be read: ENOENT|damaged or missing)/m)
  }
  const { stderr, status } = await archive('show', 'order-17')
  assert.equal(status, 2)
  assert.match(
    stderr,
    /^claimkeeper: order-17 is not a UUID\. For the alias of a candidate, give --candidate\.$/m,
  )
})
