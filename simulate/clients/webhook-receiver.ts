import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { assert, type Finding, findingOf } from '../model/finding.ts'
import type { Random } from '../random.ts'
import type { FaultPeriods } from './fault-periods.ts'
import { now } from './http-connection.ts'
import type { ReceivedDelivery, WebhookEndpoint } from './records.ts'

const NO_HASH = '0'.repeat(64)
/** Milliseconds after a fault in which a server may send a succeeded delivery again. */
const RECOVERY_MS = 20_000
const MAX_DELAY_MS = 300

/** Receives webhooks. Accepts most of them and fails at random. */
export class WebhookReceiver {
  readonly #random: Random
  readonly #faultPeriods: FaultPeriods
  readonly #server: Server
  readonly #hooks = new Map<string, WebhookEndpoint>()
  /** The first finding. */
  finding: Finding | null = null

  private constructor(random: Random, faultPeriods: FaultPeriods) {
    this.#random = random
    this.#faultPeriods = faultPeriods
    this.#server = createServer((request, response) => {
      // The connection may break at any time.
      this.#receive(request, response).catch(() => response.destroy())
    })
  }

  static async open(random: Random, faultPeriods: FaultPeriods): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(random, faultPeriods)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  newEndpoint(): WebhookEndpoint {
    const path = `/${this.#hooks.size}`
    const { port } = this.#server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}${path}`
    const endpoint = { url, id: '', secret: '', received: new Map(), announcedHashes: new Map() }
    this.#hooks.set(path, endpoint)
    return endpoint
  }

  /** @throws Finding */
  throwFinding(): void {
    if (this.finding !== null) throw this.finding
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const endpoint = this.#hooks.get(request.url as string) as WebhookEndpoint
    const body = await text(request)
    const received = this.#verify(endpoint, request, body)
    if (received === null) {
      response.destroy()
      return
    }
    const choice = this.#random.int(1, 10)
    if (this.#random.chance(0.05)) await pause(this.#random.int(0, MAX_DELAY_MS))
    if (choice === 1) response.writeHead(this.#random.pick([500, 503, 404])).end()
    else if (choice === 2) response.destroy()
    else {
      received.acceptedAt ??= now()
      response.end()
    }
  }

  /** Null for a finding. */
  #verify(endpoint: WebhookEndpoint, request: IncomingMessage, body: string): ReceivedDelivery | null {
    try {
      return this.#verifyDelivery(endpoint, request, body)
    } catch (error) {
      this.finding ??= findingOf(error)
      return null
    }
  }

  /** A delivery has the same number and body at each attempt, and names the hash of the previous delivery. */
  #verifyDelivery(endpoint: WebhookEndpoint, { headers }: IncomingMessage, body: string): ReceivedDelivery {
    const { delivery, ...notification } = JSON.parse(body)
    const { number, previous_hash: previousHash } = delivery
    const about = () => ({ url: endpoint.url, headers, body })
    assert(isSigned(endpoint, headers, body), () => `delivery ${number} is not signed`, about)
    assert(
      headers['webhook-id'] === notification.id,
      () => `delivery ${number} has the id of another notification`,
      about,
    )
    const hash = createHash('sha256').update(body).digest('hex')
    const known = endpoint.received.get(number)
    assert(known === undefined || known.hash === hash, () => `delivery ${number} has two bodies`, about)
    const at = now()
    const isAgain = known !== undefined && known.acceptedAt !== null
    assert(
      !isAgain || this.#faultPeriods.overlaps(known.acceptedAt ?? at, at, RECOVERY_MS),
      () => `delivery ${number} is repeated after a success, without a fault`,
      about,
    )
    const before = number === 1 ? NO_HASH : endpoint.received.get(number - 1)?.hash
    const after = endpoint.received.get(number + 1)?.previousHash
    const isLinked = (before ?? previousHash) === previousHash && (after ?? hash) === hash
    assert(isLinked, () => `delivery ${number} does not follow the previous delivery`, about)
    const received = known ?? { notification, hash, previousHash, acceptedAt: null }
    endpoint.received.set(number, received)
    return received
  }
}

/** https://www.standardwebhooks.com */
function isSigned({ secret }: WebhookEndpoint, headers: IncomingMessage['headers'], body: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return `${headers['webhook-signature']}`.split(' ').includes(signature)
}
