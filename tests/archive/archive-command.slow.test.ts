import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { archiveFolder, growOld, resolvedClaims } from '../support/archived-claims.ts'
import { eventually } from '../support/eventually.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const { api } = service
const folder = await archiveFolder({ after })
const settings = {
  DATABASE_URL: service.databaseUrl,
  CLAIMKEEPER_ARCHIVE_DIR: folder,
  CLAIMKEEPER_ARCHIVE_DAYS: '30',
}

test('a server with CLAIMKEEPER_ARCHIVE_DAYS archives by itself', async (t) => {
  const [id] = await resolvedClaims(service, api, await api.customer('acme'), 1)
  await growOld(service)
  const server = await startServeProcess(t, settings)
  await eventually(async () => (await api.get(`/v1/claims/${id}`)).status === 410)
  await server.end('SIGTERM')
  assert.equal(JSON.parse((await runCli(['archive', 'show', `${id}`], settings)).stdout).id, id)
})

test('a server does not start without the folder of the archive', async () => {
  const gone = join(folder, 'gone')
  const { stderr, status } = await runCli(['serve'], { ...settings, CLAIMKEEPER_ARCHIVE_DIR: gone })
  assert.equal(status, 1)
  assert.match(
    stderr,
    /claimkeeper: The archive cannot be used: ENOENT.* CLAIMKEEPER_ARCHIVE_DIR must name an existing folder/,
  )
})
