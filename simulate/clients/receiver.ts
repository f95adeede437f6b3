import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { demand, type Finding, findingOf } from '../model/finding.ts'
import type { Random } from '../random.ts'
import { now } from './exchange.ts'
import type { FaultPeriods } from './fault-periods.ts'
import type { Came, Hook } from './records.ts'

const NO_HASH = '0'.repeat(64)
/** Milliseconds after a fault in which a server may send a succeeded delivery again. */
const RECOVERY_MS = 20_000
const SLOWEST_MS = 300

/** Receives webhooks. Accepts most of them and fails at random. */
export class Receiver {
  readonly #random: Random
  readonly #faultPeriods: FaultPeriods
  readonly #server: Server
  readonly #hooks = new Map<string, Hook>()
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

  static async open(random: Random, faultPeriods: FaultPeriods): Promise<Receiver> {
    const receiver = new Receiver(random, faultPeriods)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  newHook(): Hook {
    const path = `/${this.#hooks.size}`
    const { port } = this.#server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}${path}`
    const hook = { url, id: '', secret: '', came: new Map(), promised: new Map() }
    this.#hooks.set(path, hook)
    return hook
  }

  /** @throws Finding */
  judge(): void {
    if (this.finding !== null) throw this.finding
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hook = this.#hooks.get(request.url as string) as Hook
    const body = await text(request)
    const came = this.#judge(hook, request, body)
    if (came === null) {
      response.destroy()
      return
    }
    const fate = this.#random.int(1, 10)
    if (this.#random.chance(0.05)) await pause(this.#random.int(0, SLOWEST_MS))
    if (fate === 1) response.writeHead(this.#random.pick([500, 503, 404])).end()
    else if (fate === 2) response.destroy()
    else {
      came.takenAt ??= now()
      response.end()
    }
  }

  /** Null for a finding. */
  #judge(hook: Hook, request: IncomingMessage, body: string): Came | null {
    try {
      return this.#note(hook, request, body)
    } catch (error) {
      this.finding ??= findingOf(error)
      return null
    }
  }

  /** A delivery has the same number and body at each attempt, and names the hash of the previous delivery. */
  #note(hook: Hook, { headers }: IncomingMessage, body: string): Came {
    const { delivery, ...notification } = JSON.parse(body)
    const { number, previous_hash: previousHash } = delivery
    const about = () => ({ url: hook.url, headers, body })
    demand(isSigned(hook, headers, body), () => `delivery ${number} is not signed`, about)
    demand(
      headers['webhook-id'] === notification.id,
      () => `delivery ${number} comes as another notification`,
      about,
    )
    const hash = createHash('sha256').update(body).digest('hex')
    const known = hook.came.get(number)
    demand(known === undefined || known.hash === hash, () => `delivery ${number} has two bodies`, about)
    const at = now()
    const isAgain = known !== undefined && known.takenAt !== null
    demand(
      !isAgain || this.#faultPeriods.overlaps(known.takenAt ?? at, at, RECOVERY_MS),
      () => `delivery ${number} comes again after it was taken, and nothing was done to the service`,
      about,
    )
    const before = number === 1 ? NO_HASH : hook.came.get(number - 1)?.hash
    const after = hook.came.get(number + 1)?.previousHash
    const isLinked = (before ?? previousHash) === previousHash && (after ?? hash) === hash
    demand(isLinked, () => `delivery ${number} does not follow the one before`, about)
    const came = known ?? { notification, hash, previousHash, takenAt: null }
    hook.came.set(number, came)
    return came
  }
}

/** https://www.standardwebhooks.com */
function isSigned({ secret }: Hook, headers: IncomingMessage['headers'], body: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return `${headers['webhook-signature']}`.split(' ').includes(signature)
}
