import type { Client } from '../clients/client.ts'
import { assert } from '../model/finding.ts'

/** Without authentication. Readiness depends on the database. */
export async function readHealth(client: Client): Promise<void> {
  const path = client.random.pick(['/healthz', '/readyz'])
  client.world.count(`ask ${path}`)
  const reply = await client.send(null, { method: 'GET', path })
  if (reply.kind !== 'answer') return
  const isStopping = client.hadFault(reply.sentAt, reply.answeredAt) && /is stopping/.test(reply.text)
  const isExpected = reply.status === 200 || (reply.status === 503 && (path === '/readyz' || isStopping))
  assert(
    isExpected,
    () => `${path} answered ${reply.status}`,
    () => reply,
  )
}
