import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { newClaim } from '../support/new-records.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { startWebhookService } from '../support/webhook-service.ts'

const errors: { message: string; at: number }[] = []
const service = await startWebhookService(
  { after },
  { onError: (error) => void errors.push({ message: (error as Error).message, at: performance.now() }) },
)

test('an endpoint with an unreadable secret delays no other endpoint, and is logged less and less often', async () => {
  const api = await service.newAccount()
  const receiver = await startWebhookReceiver({ after })
  const { body: broken } = await api.post('/v1/webhook_endpoints', { url: `${receiver.url}/broken` })
  await api.post('/v1/webhook_endpoints', { url: `${receiver.url}/whole` })
  await service.sql('UPDATE webhook_endpoints SET secret = $2 WHERE id = $1', [broken.id, randomBytes(80)])
  await newClaim(api)
  await eventually(async () => receiver.received.length === 1)
  // At once, after one second, after two more, after four more.
  await eventually(async () => errors.length > 3)
  const [, , third, fourth] = errors as { at: number }[]
  assert.ok((fourth?.at ?? 0) - (third?.at ?? 0) > 3_900, 'it is logged less often')
  for (const { message } of errors) assert.match(message, /CLAIMKEEPER_WEBHOOK_KEY|key is missing/)
  assert.equal(receiver.received[0]?.path, '/whole')
})
