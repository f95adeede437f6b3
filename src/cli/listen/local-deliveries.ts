import { STATUS_CODES } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { styleText } from 'node:util'
import { NOTIFICATION_TYPES } from '../../core/notification-types.ts'
import { printable } from '../../platform/terminal/printable.ts'
import { sendRequest } from '../../webhooks/send-request.ts'
import {
  deliveryBody,
  deliveryHeaders,
  hashOf,
  NO_HASH,
  type SignedDelivery,
} from '../../webhooks/sign-delivery.ts'
import { DELIVERY_PAUSES_MS, MAX_RESPONSE_BYTES } from '../limits.ts'
import type { Notification } from './service-feed.ts'

/** Delivers notifications one after another, numbered from 1 and linked by their hashes, like a webhook. */
export class LocalDeliveries {
  readonly #receiver: Receiver
  readonly #print: (line: string) => void
  readonly #stop: AbortSignal
  #number = 0
  #previousHash = NO_HASH
  #delivered = 0
  #givenUp = 0

  /** @param print a line for each attempt */
  constructor(receiver: Receiver, print: (line: string) => void, stop: AbortSignal) {
    this.#receiver = receiver
    this.#print = print
    this.#stop = stop
  }

  get summary(): string {
    return `${this.#delivered} delivered${this.#givenUp === 0 ? '' : `, ${this.#givenUp} given up`}.`
  }

  /** Resolves once the notification is delivered, or given up after the last attempt. */
  async deliver(notification: Notification): Promise<void> {
    const link = { number: this.#number + 1, previousHash: this.#previousHash }
    const body = deliveryBody(notification.json, link)
    const delivery = { ...link, id: notification.id, body }
    this.#number = link.number
    this.#previousHash = hashOf(body)
    for (let attempts = 1; ; attempts++) {
      const attempt = await sendDelivery(this.#receiver, delivery, this.#stop)
      this.#stop.throwIfAborted()
      const pauseMs = DELIVERY_PAUSES_MS[attempts - 1]
      const next =
        pauseMs === undefined
          ? `given up after ${attempts} attempts, continuing with the next`
          : `trying again in ${pauseMs / 1_000} s`
      this.#print(deliveryLine(new Date(), link.number, notification, attempt, next))
      if (attempt.succeeded) this.#delivered++
      else if (pauseMs === undefined) this.#givenUp++
      if (attempt.succeeded || pauseMs === undefined) return
      await pause(pauseMs, undefined, { signal: this.#stop })
    }
  }
}

const TYPE_WIDTH = Math.max(...NOTIFICATION_TYPES.map((type) => type.length))
const MAX_ALIAS_LENGTH = 40

/**
 * A line that describes an attempt.
 * @param next what happens next if the attempt failed
 */
function deliveryLine(
  at: Date,
  number: number,
  { type, subject }: Notification,
  { succeeded, outcome, durationMs }: Attempt,
  next: string,
): string {
  const styled = (style: 'dim' | 'green' | 'red' | 'yellow', text: string) =>
    styleText(style, text, { stream: process.stdout })
  return [
    styled('dim', at.toTimeString().slice(0, 8)),
    `#${number}`,
    printable(type).padEnd(TYPE_WIDTH),
    printable(shortName(subject)),
    styled(succeeded ? 'green' : 'red', printable(outcome)),
    styled('dim', `${durationMs} ms`),
    ...(succeeded ? [] : [styled('yellow', next)]),
  ].join('  ')
}

/** Shortens names like the dashboard does. An id begins with a time, so its end is more distinctive. */
function shortName(name: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(name)) return `${name.slice(0, 8)}…${name.slice(-6)}`
  return name.length > MAX_ALIAS_LENGTH ? `${name.slice(0, MAX_ALIAS_LENGTH - 1)}…` : name
}

/** The message of an error as a part of a sentence: with a lowercase first letter and no full stop. */
export const faultInWords = (error: unknown): string =>
  (error as Error).message
    .trim()
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '')

interface Receiver {
  url: string
  secret: string
  timeoutMs: number
}

interface Attempt {
  succeeded: boolean
  /** The status of the response, or why there was none. */
  outcome: string
  durationMs: number
}

/** Sends the delivery once. Succeeds with a status of 200 to 299. Redirects are not followed. */
export async function sendDelivery(
  { url, secret, timeoutMs }: Receiver,
  delivery: SignedDelivery,
  stop: AbortSignal,
): Promise<Attempt> {
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(timeoutMs)
  const toAttempt = (succeeded: boolean, outcome: string): Attempt => ({
    succeeded,
    outcome,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const response = await sendRequest(url, {
      method: 'POST',
      headers: deliveryHeaders(delivery, [secret], new Date()),
      body: delivery.body,
      // During development the receiver restarts often. A reused connection could lead to the old process.
      agent: false,
      signal: AbortSignal.any([stop, timeout]),
    })
    const status = response.statusCode ?? 0
    const attempt = toAttempt(status >= 200 && status < 300, statusInWords(status))
    // The status decides, even if reading the body fails.
    await readUpTo(MAX_RESPONSE_BYTES, response).catch(() => {})
    return attempt
  } catch (error) {
    return toAttempt(false, timeout.aborted ? `no answer in ${timeoutMs / 1_000} s` : faultInWords(error))
  }
}

async function readUpTo(bytes: number, body: AsyncIterable<Buffer>): Promise<void> {
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    if (read > bytes) return
  }
}

function statusInWords(status: number): string {
  if (status >= 200 && status < 300) return `${status}`
  const words = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return status >= 300 && status < 400 ? `${words}, not followed` : words
}
