import { setTimeout as pause } from 'node:timers/promises'
import { deliveryBody, hashOf, NO_HASH } from '../../webhooks/sign-delivery.ts'
import { deliveryLine } from './delivery-line.ts'
import type { Notification } from './notification.ts'
import { type Receiver, sendDelivery } from './send-delivery.ts'

/** Before each further attempt. */
const PAUSES_MS = [500, 1_000, 2_000]

/** Delivers one after the other, numbered from 1 and each linked to the one before, as a webhook does. */
export class LocalDeliveries {
  readonly #receiver: Receiver
  readonly #print: (line: string) => void
  readonly #stop: AbortSignal
  #number = 0
  #previousHash = NO_HASH
  #arrived = 0
  #givenUp = 0

  /** @param print a line for each attempt */
  constructor(receiver: Receiver, print: (line: string) => void, stop: AbortSignal) {
    this.#receiver = receiver
    this.#print = print
    this.#stop = stop
  }

  get summary(): string {
    return `${this.#arrived} delivered${this.#givenUp === 0 ? '' : `, ${this.#givenUp} given up`}.`
  }

  /** Resolves once it has arrived, or was given up: then the next one has its turn all the same. */
  async deliver(notification: Notification): Promise<void> {
    const link = { number: this.#number + 1, previousHash: this.#previousHash }
    const body = deliveryBody(notification.json, link)
    const delivery = { ...link, id: notification.id, body }
    this.#number = link.number
    this.#previousHash = hashOf(body)
    for (let attempts = 1; ; attempts++) {
      const attempt = await sendDelivery(this.#receiver, delivery, this.#stop)
      this.#stop.throwIfAborted()
      const pauseMs = PAUSES_MS[attempts - 1]
      const next =
        pauseMs === undefined
          ? `given up after ${attempts} attempts, going on with the next`
          : `trying again in ${pauseMs / 1_000} s`
      this.#print(deliveryLine(new Date(), link.number, notification, attempt, next))
      if (attempt.succeeded) this.#arrived++
      else if (pauseMs === undefined) this.#givenUp++
      if (attempt.succeeded || pauseMs === undefined) return
      await pause(pauseMs, undefined, { signal: this.#stop })
    }
  }
}
