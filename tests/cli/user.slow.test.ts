import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn, signUp } from '../support/session-client.ts'
import { startTestService } from '../support/test-service.ts'
import { runWithInput } from './run-with-input.ts'

test('user set-password changes the password of an account', async (t) => {
  const service = await startTestService(t, { hashesSlowly: true })
  const { email } = await signUp(service)
  const changed = await runWithInput(
    service.databaseUrl,
    ['user', 'set-password', '--email', email],
    'another horse\n',
  )
  assert.equal(changed.status, 0, changed.stderr)
  await signIn(service, email, 'another horse')
  const unknown = ['user', 'set-password', '--email', 'nobody@example.com']
  const refused = await runWithInput(service.databaseUrl, unknown, 'another horse\n')
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /No account has the email/)
})
