import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { archiveFolder, growOld, resolvedCandidate, resolvedClaims } from '../support/archived-claims.ts'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { candidatePath } from '../support/new-records.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { startTestService } from '../support/test-service.ts'

/* The service archives by itself, and the command line reads what it wrote. */

const service = await startTestService({ after })
const { api } = service
const folder = await archiveFolder({ after })
const settings = {
  DATABASE_URL: service.databaseUrl,
  CLAIMKEEPER_ARCHIVE_DIR: folder,
}
const archive = (...args: string[]) => runCli(['archive', ...args], settings)

test('a server with CLAIMKEEPER_ARCHIVE_DAYS archives; `claimkeeper archive` lists, shows, checks and restores', async (t) => {
  const [id = ''] = await resolvedClaims(service, api, await api.customer('acme'), 1)
  const alias = await resolvedCandidate(service, api)
  await growOld(service)
  const told = await api.readClaim(id)
  const server = await startServeProcess(t, { ...settings, CLAIMKEEPER_ARCHIVE_DAYS: '30' })
  await eventually(async () => (await api.get(`/v1/claims/${id}`)).status === 410, { seconds: 60 })
  await server.end('SIGTERM')

  const listed = JSON.parse((await archive('list', '--json')).stdout)
  assert.deepEqual(
    listed.map(({ claims }: { claims: number }) => claims),
    [2],
  )
  const shown = JSON.parse((await archive('show', id)).stdout)
  assert.deepEqual(
    [shown.id, shown.contract, shown.events.length, shown.events[0].payload],
    [id, told.contract, 3, { value: 0.1, note: 'naïve "quoted"\n' }],
  )
  const restored = await archive('restore', '--candidate', alias)
  assert.deepEqual([restored.stdout, restored.status], [`Restored ${alias}.\n`, 0])
  assert.equal((await api.get(candidatePath(alias))).status, 200)
  assertError(await api.get(`/v1/claims/${id}`), 410, 'CLAIM_ARCHIVED')

  const [year = ''] = await readdir(folder)
  await rm(join(folder, year), { recursive: true })
  for (const args of [['restore', id], ['check'], ['show', 'order-17']]) {
    const { stderr, status } = await archive(...args)
    assert.equal(status, 1)
    assert.match(stderr, /^claimkeeper: .*(cannot be read: ENOENT|not as they were written|is no UUID)/m)
  }
})

test('a server does not start if the folder of the archive is not there', async () => {
  const gone = join(folder, 'gone')
  const { stderr, status } = await runCli(['serve'], {
    ...settings,
    CLAIMKEEPER_ARCHIVE_DAYS: '30',
    CLAIMKEEPER_ARCHIVE_DIR: gone,
  })
  assert.equal(status, 1)
  assert.match(
    stderr,
    /claimkeeper: The archive cannot be used: ENOENT.* CLAIMKEEPER_ARCHIVE_DIR must name a folder/,
  )
})
