import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Answer } from './api-client.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

/** Sends as an account: an `ApiClient`, or a page of the dashboard. */
interface Poster {
  post: (path: string, body: object) => Promise<Pick<Answer, 'status' | 'body'>>
}

/** A receiver, and a new endpoint of the account that sends to it. */
export async function newEndpoint(account: Poster, settings: object = {}) {
  const receiver = await startWebhookReceiver({ after })
  const url = `${receiver.url}/hook`
  const { status, body } = await account.post('/v1/webhook_endpoints', { url, ...settings })
  assert.equal(status, 201, JSON.stringify(body))
  return { receiver, id: body.id as string, secret: body.secret as string }
}
