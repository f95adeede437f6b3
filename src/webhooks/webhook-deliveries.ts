import type { App } from '../app.ts'
import { claimIdOf } from '../claims/claim-ids.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import { webhookDeliveryNotFound, webhookEndpointNotFound } from '../core/record-errors.ts'
import type { DeliveryStatus, WebhookDelivery } from '../core/webhooks.ts'
import { unavailable, validationError } from '../kernel/errors.ts'
import { isUuid } from '../kernel/uuid.ts'
import { type Context, inTransaction } from '../platform/database/context.ts'
import {
  type DeliveryAddress,
  findDelivery,
  findNumberBefore,
  listDeliveries,
  redeliver,
  redeliverBatch,
} from './delivery-store.ts'
import { readEndpointCursor } from './sending-store.ts'

/** The public id of a delivery: the endpoint's id, a dot, the number. */
export const deliveryId = ({ endpointId, number }: DeliveryAddress): string => `${endpointId}.${number}`

function readDeliveryId(id: string): DeliveryAddress | null {
  const [endpointId = '', number = '', ...rest] = id.split('.')
  const isOne = isUuid(endpointId) && /^[1-9]\d{0,14}$/.test(number) && rest.length === 0
  return isOne ? { endpointId: endpointId.toLowerCase(), number: Number(number) } : null
}

/** @throws WEBHOOK_DELIVERY_NOT_FOUND */
export async function getWebhookDelivery(
  { userId, read }: Context,
  id: string,
): Promise<{ delivery: WebhookDelivery; body: string }> {
  const address = readDeliveryId(id)
  const found = address && (await findDelivery(read, userId, address))
  if (!found) throw webhookDeliveryNotFound(id)
  return found
}

export interface DeliveryListRequest {
  userId: string
  of: { endpointId: string } | { notificationId: string } | { address: ClaimAddress }
  status: DeliveryStatus | null
  after: string | undefined
  limit: number
  order: 'asc' | 'desc'
}

/** @throws VALIDATION_ERROR for an invalid cursor */
export async function listWebhookDeliveries(
  app: App,
  { of, after, limit, ...request }: DeliveryListRequest,
): Promise<{ rows: WebhookDelivery[]; hasMore: boolean }> {
  const place = after === undefined ? null : readDeliveryId(after)
  if (after !== undefined && place === null) {
    const message = 'is no cursor of this list; use next_cursor of the page before'
    throw validationError([{ path: 'after', message }])
  }
  const rows = await listDeliveries(app.db.reads.for(request.userId), {
    ...request,
    of: 'address' in of ? { subjectId: claimIdOf(of.address) } : of,
    after: place,
    count: limit + 1,
  })
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit }
}

/**
 * Sends a delivery again as if it were new, with the same number and body.
 * @throws WEBHOOK_DELIVERY_NOT_FOUND
 */
export async function redeliverWebhook(context: Context, id: string): Promise<WebhookDelivery> {
  const address = readDeliveryId(id)
  return inTransaction(context, async (within) => {
    const isThere = address && (await redeliver(within.write, within.userId, address))
    if (!isThere) throw webhookDeliveryNotFound(id)
    return (await getWebhookDelivery(within, id)).delivery
  })
}

const onlySome = (redelivered: number, cause: unknown) =>
  unavailable(
    `The first ${redelivered} deliveries are sent again. Whether the others are sent again is not known. Repeat the request to redeliver all of them.`,
    cause,
  )

export interface RedeliveryRequest {
  userId: string
  endpointId: string
  /** Deliveries created from this time on and before `to`. */
  from: Date
  to: Date
  /** Only deliveries with this status. Null for all. */
  status: DeliveryStatus | null
}

/**
 * Sends an endpoint's deliveries of a period again. Returns their number.
 * @param gone aborts between two batches; its reason is thrown
 * @throws WEBHOOK_ENDPOINT_NOT_FOUND
 */
export async function redeliverWebhooks(
  app: App,
  request: RedeliveryRequest,
  gone: AbortSignal,
): Promise<number> {
  const { userId, endpointId, ...range } = request
  const db = app.db.writes.for(userId)
  if (!(await readEndpointCursor(db, userId, endpointId))) throw webhookEndpointNotFound(endpointId)
  let redelivered = 0
  for (let after: number | null = await findNumberBefore(db, endpointId, range.from); after !== null; ) {
    gone.throwIfAborted()
    const { count, last }: { count: number; last: number | null } = await redeliverBatch(db, endpointId, {
      ...range,
      after,
    }).catch((error) => {
      throw redelivered > 0 ? onlySome(redelivered, error) : error
    })
    redelivered += count
    after = last
  }
  return redelivered
}
