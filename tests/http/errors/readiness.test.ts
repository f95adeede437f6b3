import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { type Answer, ApiClient } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { Conformance } from '../../support/conformance.ts'
import { contractWith } from '../../support/contracts.ts'
import { endSessions } from '../../support/end-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { startServeProcess } from '../../support/serve-process.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { startStruckService } from '../../support/struck-service.ts'
import { startTestService, type TestService } from '../../support/test-service.ts'

/** What /readyz answers, once it answers so. */
const readiness = ({ url }: { url: string }, status: 200 | 503) =>
  eventually(
    async () => {
      const answer = await fetch(`${url}/readyz`)
      return answer.status === status && ((await answer.json()) as Answer['body'])
    },
    { seconds: 60 },
  )

test('/readyz is 503 while a full disk refuses writes, /healthz is not, and both are 200 when there is room', async (t) => {
  const disk = await mountSmallDisk(t, 160)
  if (!disk) return t.skip('no disk can be mounted here')
  const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR: disk.dataDir })
  const conformance = new Conformance(await (await fetch(`${served.url}/openapi.json`)).json())
  const api = new ApiClient(served.url, served.token, conformance)
  const customer = await api.customer('acme')
  await readiness(served, 200)

  await disk.fill()
  // On a disk that is full to the last page some inserts still find room in pages that there are.
  await eventually(async () => {
    const claims = Array.from({ length: 200 }, () => ({ customer_id: customer, contract: contractWith() }))
    const { body } = await api.post('/v1/claims/batch', { claims })
    return body.error ?? body.results?.some(({ status }: { status: number }) => status === 503)
  })
  const { error } = await readiness(served, 503)
  assert.match(error.message, /^The (database takes no writes now|database cannot be reached)/)
  assert.equal((await fetch(`${served.url}/healthz`)).status, 200)
  await disk.clear()
  await readiness(served, 200)
})

test('/readyz is 503 while the database is set to be read only', async (t) => {
  const service = await startTestService(t)
  await readiness(service, 200)
  await setReadOnly(service, 'on')
  assert.match((await readiness(service, 503)).error.message, /takes no writes/)
  await setReadOnly(service, 'off')
  await readiness(service, 200)
})

test('/readyz is 503 whatever the write fails with', async (t) => {
  const service = await startStruckService(t)
  for (const refused of ['XX000', '22P02', '42501']) {
    service.proxy.strike({ statement: 'try_write' }, { refused })
    assert.match((await readiness(service, 503)).error.message, /takes no writes/)
    assert.ok(service.proxy.hasStruck())
    await readiness(service, 200)
  }
})

test('/readyz waits no longer than some seconds for a write, and its answer tells nothing of the database', async (t) => {
  const service = await startStruckService(t)
  service.proxy.strike({ statement: 'try_write' }, 'silence before')
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.clientWith(null).get('/readyz')))
  for (const answer of answers) {
    assertError(answer, 503, 'UNAVAILABLE')
    assert.equal(answer.body.error.message, 'The database takes too long to write.')
  }
})

test('many who ask /readyz at once cost one write, and one line in the log', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
  const service = await startTestService(t, { log })
  await setReadOnly(service, 'on')
  const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${service.url}/readyz`)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]))
  assert.equal(lines.length, 1)
  assert.match(lines[0] as string, /read-only transaction/)
})

/** For every connection from now on. */
async function setReadOnly({ databaseUrl }: TestService, onOff: 'on' | 'off'): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('SET default_transaction_read_only = off')
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${onOff}`)
  await client.end()
  await endSessions(databaseUrl)
}
