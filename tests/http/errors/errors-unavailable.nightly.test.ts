import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../support/api-client.ts'
import { assertUnavailable } from '../../support/assert-error.ts'
import { clientOf } from '../../support/client-of.ts'
import { contractWith } from '../../support/contracts.ts'
import { eventually } from '../../support/eventually.ts'
import { IN_THE_BACKGROUND } from '../../support/fault-proxy.ts'
import { startProxiedService } from '../../support/proxied-service.ts'
import { startServeProcess } from '../../support/serve-process.ts'
import { signIn, signUp } from '../../support/session-client.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'

/** Statements after the commit: the sessions have ended, so the answer is 200. */
const AFTER_THE_COMMIT = /find_last_revocation|count_servers_behind/

test('a request about sessions answers 503 if any statement before its commit is lost', async (t) => {
  const written = t.mock.method(console, 'error')
  const service = await startProxiedService(t)
  const { proxy } = service
  const { email, browser } = await signUp(service)
  const statementsOf = async (send: () => Promise<Answer>) => {
    const sent: string[] = []
    proxy.onStatement((statement) => {
      if (!IN_THE_BACKGROUND.test(statement)) sent.push(statement)
    })
    assert.equal((await send()).status, 200)
    proxy.onStatement(null)
    return new Set(sent.filter((statement) => !/^(begin|commit|rollback|set|listen)/i.test(statement)))
  }
  for (const send of [
    () => browser.get('/api/auth/get-session'),
    () => browser.get('/api/auth/list-sessions'),
    () => browser.post('/api/auth/revoke-other-sessions'),
  ]) {
    // The revocation watch may send statements of its own after its connection broke.
    const wanted = (await statementsOf(send)).intersection(await statementsOf(send))
    assert.ok(wanted.size > 0)
    for (const statement of wanted) {
      proxy.inject({ statement }, 'cut during')
      const answer = await send()
      if (AFTER_THE_COMMIT.test(statement)) assert.equal(answer.status, 200)
      else assertUnavailable(answer)
      await eventually(async () => (await browser.get('/v1/me')).status === 200)
    }
  }
  assert.ok((await signIn(service, email)).cookie)
  assert.equal(written.mock.callCount(), 0, 'the library writes to no console')
})

/** What /readyz answers, once it answers so. */
const readiness = ({ url }: { url: string }, status: 200 | 503) =>
  eventually(async () => {
    const answer = await fetch(`${url}/readyz`)
    return answer.status === status && ((await answer.json()) as Answer['body'])
  })

test('/readyz answers 503 while a full disk refuses writes; /healthz answers 200; both answer 200 when there is space', async (t) => {
  const disk = await mountSmallDisk(t, 160)
  if (!disk) return t.skip('no disk can be mounted here')
  const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR: disk.dataDir })
  const api = await clientOf(served)
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
  assert.match(error.message, /^The (database accepts no writes now|database cannot be reached)/)
  assert.equal((await fetch(`${served.url}/healthz`)).status, 200)
  await disk.clear()
  await readiness(served, 200)
})
