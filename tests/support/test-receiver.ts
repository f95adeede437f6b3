import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from './test-database.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** What it answers: a status, and where a redirect leads to; or nothing at all, for as long as the caller waits. */
export type ReceiversAnswer = { status: number; location?: string } | 'nothing'

export interface TestReceiver {
  url: string
  /** In their order. */
  received: Received[]
  close: () => Promise<void>
}

/** A receiver of webhooks, on a port of its own. Without anything else it answers 204. */
export async function startReceiver(
  t: Scope,
  answer: (received: Received) => ReceiversAnswer = () => ({ status: 204 }),
): Promise<TestReceiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const one = { path: request.url ?? '', headers: request.headers, body }
    received.push(one)
    const { status, location } = { status: 0, location: '', ...spread(answer(one)) }
    if (status !== 0) response.writeHead(status, location === '' ? {} : { Location: location }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await once(server.close(), 'close')
  }
  t.after(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, close }
}

const spread = (answer: ReceiversAnswer) => (answer === 'nothing' ? {} : answer)
