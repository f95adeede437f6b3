import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { IN_THE_BACKGROUND } from '../../support/fault-proxy.ts'
import { signUp, signUpByInvitation } from '../../support/session-client.ts'
import { startStruckService } from '../../support/struck-service.ts'

/* Whoever is told that he is signed out is so, whichever statement fails. */

const service = await startStruckService({ after })
const { proxy } = service

test('signing out says that all is well only where the session has ended', async () => {
  const { browser } = await signUpByInvitation(service)
  const statements: string[] = []
  proxy.listen((statement) => {
    if (!IN_THE_BACKGROUND.test(statement)) statements.push(statement)
  })
  assert.equal((await browser.post('/api/auth/sign-out', {})).status, 200)
  proxy.listen(null)
  assert.ok(statements.length > 1, `${statements}`)

  for (const statement of new Set(statements)) {
    const { browser } = await signUp(service)
    const headers = { Cookie: browser.cookie }
    proxy.strike({ statement }, { refused: '23505' })
    const { status } = await browser.post('/api/auth/sign-out', {})
    assert.ok(proxy.hasStruck(), statement)
    const isSignedIn = (await service.clientWith(null).get('/v1/me', headers)).status === 200
    assert.ok(!(status === 200 && isSignedIn), `${statement} failed, and signing out was answered ${status}`)
  }
})
