import type { Scope } from '../../tests/support/test-database.ts'
import { startWebhookReceiver } from '../../tests/support/webhook-receiver.ts'
import type { Send } from './demo-data.ts'

export interface DemoEndpoints {
  endpoint: string
  failingEndpoint: string
}

/** What a stranger may answer. */
const HOSTILE = `<html><script>alert(1)</script> \u202Eesrever \u05D0\u05D1 Bad Gateway: ${'upstream'.repeat(40)}`

/** Three webhook endpoints, made first, so that they get all notifications: one that answers, one that fails, and one that is off. */
export async function makeDemoEndpoints(scope: Scope, send: Send): Promise<DemoEndpoints> {
  const receiver = await startWebhookReceiver(scope)
  let count = 0
  receiver.answer((response, { path }) => {
    const isRefused = path.startsWith('/failing') || count++ % 40 === 7
    response.statusCode = isRefused ? 502 : 200
    response.end(isRefused ? HOSTILE : 'ok')
  })
  const create = (settings: object) => send('POST', '/v1/webhook_endpoints', settings)
  const endpoint = await create({ url: `${receiver.url}/hook`, description: 'Billing' })
  const types = ['claim.confirmed', 'claim.failed', 'candidate.confirmed', 'candidate.failed']
  const long = `${receiver.url}/failing/${'a-very-long-path-without-an-end/'.repeat(6)}?tenant=4711`
  const failing = await create({ url: long, types })
  await create({ url: `${receiver.url}/off`, description: 'Archive, not ready yet', enabled: false })
  return { endpoint: endpoint.id, failingEndpoint: failing.id }
}
