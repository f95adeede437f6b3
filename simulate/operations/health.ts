import type { Client } from '../clients/client.ts'
import { demand } from '../model/finding.ts'

/** Without authentication: a server that answers is alive. Readiness depends on the database. */
export async function askHealth(client: Client): Promise<void> {
  const path = client.random.pick(['/healthz', '/readyz'])
  client.world.count(`ask ${path}`)
  const reply = await client.send(null, { method: 'GET', path })
  if (reply.is !== 'answer') return
  const isStopping = client.hadFault(reply.sentAt, reply.answeredAt) && /is stopping/.test(reply.text)
  const isRight = reply.status === 200 || (reply.status === 503 && (path === '/readyz' || isStopping))
  demand(
    isRight,
    () => `${path} answered ${reply.status}`,
    () => reply,
  )
}
