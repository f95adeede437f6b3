import { v7 as uuidv7 } from 'uuid'
import type { App } from '../app.ts'
import type { Notification } from '../core/notifications.ts'
import { ServiceError } from '../kernel/errors.ts'
import { readLastRemovedNumber } from '../notifications/feed-store.ts'
import { type FeedPage, partsOf, readNotifications } from '../notifications/read-notifications.ts'
import { appendDeliveries, type EndpointCursor, type NewDelivery } from './delivery-store.ts'
import { DELIVERY_BATCH_CHARACTERS, NOTIFICATION_BATCH_SIZE } from './limits.ts'
import type { LeasedEndpoint } from './sending-store.ts'
import { deliveryBody, hashOf } from './sign-delivery.ts'

/** A notification as JSON. */
export type PresentNotification = (notification: Notification) => string

/**
 * Makes deliveries of the next notifications for an endpoint. Returns the new cursor. Null if another
 * writer has appended deliveries meanwhile.
 */
export async function makeDeliveries(
  app: App,
  { endpoint, cursor }: LeasedEndpoint,
  present: PresentNotification,
): Promise<{ cursor: EndpointCursor; hasMore: boolean } | null> {
  const { id, userId, types, customerId } = endpoint
  const db = app.db.writes.for(userId)
  const chain = new Chain(cursor)
  const wanted = types && new Set(types)
  try {
    const page = await readNotifications(app, {
      userId,
      after: cursor.processedUpTo,
      limit: NOTIFICATION_BATCH_SIZE,
      order: 'asc',
      types: wanted,
      address: null,
      customerId: customerId ?? undefined,
    })
    const { webhookDelaySeconds } = app.db.metrics.instruments
    const { next, hasMore } = await addAll(chain, page, (one) => {
      webhookDelaySeconds.observe(Math.max(0, Date.now() - one.createdAt.getTime()) / 1_000)
      return present(one)
    })
    if (next === cursor.processedUpTo) return { cursor, hasMore }
    const isAppended = await appendDeliveries(db, id, cursor, next, chain.made)
    return isAppended ? { cursor: chain.cursorAt(next), hasMore } : null
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'CURSOR_EXPIRED')) throw error
    // The endpoint was disabled for longer than notifications are kept. A delivery says that some are missing.
    const removed = await readLastRemovedNumber(app.db.reads.for(userId), userId, partsOf(wanted))
    chain.addOwn(endpoint.id, 'webhook_endpoint.notifications_removed')
    const isAppended = await appendDeliveries(db, id, cursor, removed, chain.made)
    return isAppended ? { cursor: chain.cursorAt(removed), hasMore: true } : null
  }
}

/**
 * Returns the number of the last notification with a delivery. Large notifications end the batch before the end of
 * the page.
 */
async function addAll(
  chain: Chain,
  page: FeedPage,
  present: PresentNotification,
): Promise<Pick<FeedPage, 'next' | 'hasMore'>> {
  let last: bigint | null = null
  for await (const some of page.notifications) {
    for (const one of some) {
      if (last !== null && chain.characters > DELIVERY_BATCH_CHARACTERS) return { next: last, hasMore: true }
      chain.add({ notificationId: one.id, subjectId: subjectIdOf(one), type: one.type }, present(one))
      last = BigInt(one.number)
    }
  }
  return page
}

function subjectIdOf({ subject }: Notification): string {
  if ('claim' in subject) return subject.claim.id
  return 'testClock' in subject ? subject.testClock.id : subject.endpoint.id
}

/** Consecutive deliveries after a cursor. Each has the hash of the previous body. */
export class Chain {
  readonly made: NewDelivery[] = []
  /** Length of all bodies. */
  characters = 0
  #number: number
  #hash: string

  constructor({ lastNumber, lastHash }: EndpointCursor) {
    this.#number = lastNumber
    this.#hash = lastHash
  }

  /** @param notification as JSON */
  add(of: Pick<NewDelivery, 'notificationId' | 'subjectId' | 'type'>, notification: string): void {
    this.#number++
    const previousHash = this.#hash
    const body = deliveryBody(notification, { number: this.#number, previousHash })
    this.#hash = hashOf(body)
    this.characters += body.length
    this.made.push({ ...of, body, hash: this.#hash, previousHash })
  }

  /** Adds a delivery about the endpoint itself, which is in no feed. */
  addOwn(endpointId: string, type: string): void {
    const id = uuidv7()
    const notification = {
      id,
      type,
      created_at: new Date().toISOString(),
      sequence: 0,
      webhook_endpoint: { id: endpointId },
    }
    this.add({ notificationId: id, subjectId: endpointId, type }, JSON.stringify(notification))
  }

  cursorAt(processedUpTo: bigint): EndpointCursor {
    return { processedUpTo, lastNumber: this.#number, lastHash: this.#hash }
  }
}
