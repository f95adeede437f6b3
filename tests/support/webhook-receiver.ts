import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startLoopbackServer } from './loopback-server.ts'
import type { Scope } from './test-database.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** By `performance.now()`. */
  at: number
}

type Reply = (response: ServerResponse, request: Received) => unknown

export interface WebhookReceiver {
  url: string
  received: Received[]
  /** Requests without a response so far. */
  open: number
  /** Sets the response from now on. */
  answer: (reply: Reply) => void
  close: () => Promise<void>
}

/** A real receiver of webhooks. It responds with 200. */
export async function startWebhookReceiver(
  t: Scope,
  reply: Reply = (response) => response.end('ok'),
): Promise<WebhookReceiver> {
  const received: Received[] = []
  const server = await startLoopbackServer(t, async (request, response) => {
    receiver.open++
    response.once('close', () => receiver.open--)
    try {
      const body = await text(request)
      const one = { path: request.url as string, headers: request.headers, body, at: performance.now() }
      received.push(one)
      await reply(response, one)
    } catch {
      response.destroy()
    }
  })
  const receiver: WebhookReceiver = {
    ...server,
    received,
    open: 0,
    answer: (next) => {
      reply = next
    },
  }
  return receiver
}

const hashOf = (body: string) => createHash('sha256').update(body).digest('hex')

/**
 * Errors in the numbers and hashes of these deliveries, which may be repeated and in any order, as a receiver would
 * find them.
 */
export function faultsOfChain(received: readonly Received[]): string[] {
  const faults: string[] = []
  const links = new Map<number, { hash: string; previous: string }>()
  for (const { headers, body } of received) {
    const number = Number(headers['claimkeeper-delivery-number'])
    const previous = headers['claimkeeper-previous-hash'] as string
    const { delivery } = JSON.parse(body)
    if (delivery.number !== number || delivery.previous_hash !== previous)
      faults.push(`${number}: headers differ`)
    const known = links.get(number)
    if (known && known.hash !== hashOf(body)) faults.push(`${number}: another body`)
    links.set(number, { hash: hashOf(body), previous })
  }
  const last = Math.max(0, ...links.keys())
  for (let number = 1; number <= last; number++) {
    const link = links.get(number)
    if (!link) faults.push(`${number}: missing`)
    else if (number === 1 && link.previous !== '0'.repeat(64)) faults.push('1: does not begin')
    else if (links.has(number - 1) && links.get(number - 1)?.hash !== link.previous)
      faults.push(`${number}: does not follow`)
  }
  return faults
}
