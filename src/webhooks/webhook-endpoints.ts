import { v7 as uuidv7 } from 'uuid'
import type { App } from '../app.ts'
import { customerNotFound, rejectionReason, webhookEndpointNotFound } from '../core/record-errors.ts'
import type { ExpectedVersions, Versioned } from '../core/records.ts'
import type { WebhookDelivery, WebhookEndpoint } from '../core/webhooks.ts'
import { findCustomer } from '../customers/customer-store.ts'
import { ServiceError, unavailable, validationError } from '../kernel/errors.ts'
import { readFeed } from '../notifications/feed-store.ts'
import { partsOf } from '../notifications/read-notifications.ts'
import { readSettled } from '../outbox/notification-number-store.ts'
import type { Connection } from '../platform/database/connection.ts'
import { type Context, inTransaction } from '../platform/database/context.ts'
import { appendDeliveries, findDelivery } from './delivery-store.ts'
import {
  deleteEndpoint,
  type EndpointHealth,
  type EndpointSettings,
  insertEndpoint,
  readEndpoints,
  replaceSecret,
  type SkippedNotifications,
  updateEndpoint,
} from './endpoint-store.ts'
import {
  MAX_ENDPOINTS_PER_ACCOUNT,
  MAX_TEST_ATTEMPTS,
  MAX_URL_LENGTH,
  OLD_SECRET_VALIDITY_MS,
} from './limits.ts'
import { Chain } from './make-deliveries.ts'
import { isAllowedPort, isPublic, literalAddress, PORT_RULE, portOf } from './public-addresses.ts'
import { readEndpointCursor } from './sending-store.ts'
import { NO_HASH, newSecret } from './sign-delivery.ts'

/** The version covers only the settings. */
export type EndpointWithHealth = Versioned<{ endpoint: WebhookEndpoint; health: EndpointHealth }>

export interface WebhookRules {
  /** Allows http and private addresses, for development. */
  allowPrivate: boolean
  /** Allowed ports below 1024, in addition to 80 and 443. */
  ports: readonly number[]
}

/**
 * Creates an endpoint, which gets notifications from now on. Returns its secret, which is shown only here.
 * @throws VALIDATION_ERROR for a URL that is not allowed, CUSTOMER_NOT_FOUND, WEBHOOK_ENDPOINT_LIMIT_REACHED
 */
export async function createWebhookEndpoint(
  { webhookSecrets }: Pick<App, 'webhookSecrets'>,
  context: Context,
  settings: EndpointSettings,
  rules: WebhookRules,
): Promise<EndpointWithHealth & { secret: string }> {
  const url = checkUrl(settings.url, rules)
  await requireCustomer(context, settings.customerId)
  const id = uuidv7()
  const secret = newSecret()
  const { userId, read, write } = context
  const processedUpTo = await readSettled(read, userId)
  const made = await insertEndpoint(
    write,
    {
      ...settings,
      url,
      id,
      userId,
      secret: webhookSecrets.encrypt(secret, id),
      processedUpTo,
      lastHash: NO_HASH,
    },
    MAX_ENDPOINTS_PER_ACCOUNT,
  )
  if (!made) {
    throw new ServiceError(
      'WEBHOOK_ENDPOINT_LIMIT_REACHED',
      `The account has ${MAX_ENDPOINTS_PER_ACCOUNT} webhook endpoints, the maximum.`,
    )
  }
  return { ...made, health: NO_HEALTH, secret }
}

const NO_HEALTH: EndpointHealth = {
  attempts: 0,
  succeeded: 0,
  medianMs: null,
  waiting: 0,
  oldestWaitingAt: null,
}

/** In the order of their creation. */
export const listWebhookEndpoints = ({ userId, read }: Context): Promise<EndpointWithHealth[]> =>
  readEndpoints(read, userId, null)

/** @throws WEBHOOK_ENDPOINT_NOT_FOUND */
export async function getWebhookEndpoint({ userId, read }: Context, id: string): Promise<EndpointWithHealth> {
  const [found] = await readEndpoints(read, userId, id)
  if (!found) throw webhookEndpointNotFound(id)
  return found
}

/**
 * An endpoint that is enabled again continues where it was. A change of its URL or of `disabled` clears its failure
 * state.
 * @throws VALIDATION_ERROR, CUSTOMER_NOT_FOUND, WEBHOOK_ENDPOINT_NOT_FOUND, PRECONDITION_FAILED
 */
export async function updateWebhookEndpoint(
  context: Context,
  id: string,
  changes: Partial<EndpointSettings>,
  rules: WebhookRules,
  expected: ExpectedVersions,
): Promise<EndpointWithHealth> {
  const url = changes.url === undefined ? {} : { url: checkUrl(changes.url, rules) }
  await requireCustomer(context, changes.customerId ?? null)
  const skipped = changes.types === undefined ? null : await findSkipped(context, id)
  const settings = { ...changes, ...url }
  return inTransaction(context, async (within) => {
    if (!(await updateEndpoint(within.write, within.userId, id, settings, expected, skipped)))
      throw await reasonOf(within, id, expected)
    return getWebhookEndpoint(within, id)
  })
}

/** @throws WEBHOOK_ENDPOINT_NOT_FOUND, PRECONDITION_FAILED */
export async function deleteWebhookEndpoint(
  context: Context,
  id: string,
  expected: ExpectedVersions,
): Promise<void> {
  const isDone = await deleteEndpoint(context.write, context.userId, id, expected)
  if (!isDone) throw await reasonOf(context, id, expected)
}

const reasonOf = (context: Context, id: string, expected: ExpectedVersions) =>
  rejectionReason('webhook endpoint', expected, webhookEndpointNotFound(id), () =>
    getWebhookEndpoint(context, id),
  )

/**
 * Replaces the secret. The new secret is shown only here. The previous one also signs for a day.
 * @throws WEBHOOK_ENDPOINT_NOT_FOUND
 */
export async function rotateWebhookSecret(
  { webhookSecrets }: Pick<App, 'webhookSecrets'>,
  context: Context,
  id: string,
): Promise<EndpointWithHealth & { secret: string; oldSecretUntil: Date }> {
  const secret = newSecret()
  const encrypted = webhookSecrets.encrypt(secret, id)
  return inTransaction(context, async (within) => {
    const oldSecretUntil = await replaceSecret(
      within.write,
      within.userId,
      id,
      encrypted,
      OLD_SECRET_VALIDITY_MS,
    )
    if (!oldSecretUntil) throw webhookEndpointNotFound(id)
    return { ...(await getWebhookEndpoint(within, id)), secret, oldSecretUntil }
  })
}

/**
 * Adds a test delivery, which is sent like any other. It waits while the endpoint is disabled.
 * @throws WEBHOOK_ENDPOINT_NOT_FOUND
 */
export async function testWebhookEndpoint({ userId, write }: Context, id: string): Promise<WebhookDelivery> {
  for (let tries = 0; tries < MAX_TEST_ATTEMPTS; tries++) {
    const delivery = await write.transaction((db) => addTest(db, userId, id))
    if (delivery) return delivery
  }
  throw unavailable('Too many deliveries are being added to the endpoint.')
}

/** Null if another delivery was added at the same time. */
async function addTest(db: Connection, userId: string, id: string): Promise<WebhookDelivery | null> {
  const cursor = await readEndpointCursor(db, userId, id)
  if (!cursor) throw webhookEndpointNotFound(id)
  const chain = new Chain(cursor)
  chain.addOwn(id, 'webhook_endpoint.test')
  if (!(await appendDeliveries(db, id, cursor, cursor.processedUpTo, chain.made))) return null
  const found = await findDelivery(db, userId, { endpointId: id, number: cursor.lastNumber + 1 })
  if (!found) throw webhookEndpointNotFound(id)
  return found.delivery
}

/**
 * The end of the feed, if the endpoint's current settings match no notification up to there. The endpoint then moves
 * to the end, so that new types do not deliver old notifications. Null if a notification matches.
 * @throws WEBHOOK_ENDPOINT_NOT_FOUND
 */
async function findSkipped(context: Context, id: string): Promise<SkippedNotifications | null> {
  const { userId, read: db } = context
  const { endpoint, version } = await getWebhookEndpoint(context, id)
  const cursor = await readEndpointCursor(db, userId, id)
  if (!cursor) throw webhookEndpointNotFound(id)
  const upTo = await readSettled(db, userId)
  const parts = partsOf(endpoint.types && new Set(endpoint.types))
  const after = cursor.processedUpTo
  const next = await readFeed(db, {
    userId,
    parts,
    subjectId: undefined,
    after,
    upTo,
    order: 'asc',
    count: 1,
  })
  return next.length === 0 && upTo > after ? { version, after, upTo } : null
}

async function requireCustomer({ userId, read }: Context, id: string | null): Promise<void> {
  if (id !== null && !(await findCustomer(read, userId, id))) throw customerNotFound({ id })
}

function checkUrl(text: string, { allowPrivate, ports }: WebhookRules): string {
  const refuse = (message: string) => validationError([{ path: 'url', message }])
  if (!URL.canParse(text)) throw refuse('must be a URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw refuse('must begin with https://')
  if (url.username !== '' || url.password !== '') throw refuse('must hold no user and no password')
  url.hash = ''
  if (url.href.length > MAX_URL_LENGTH) throw refuse(`must have ${MAX_URL_LENGTH} characters at most`)
  const address = literalAddress(url.hostname)
  if (!allowPrivate && address !== null && !isPublic(address))
    throw refuse(`must be of a public address, which ${address} is not`)
  if (!isAllowedPort(portOf(url.port, url.protocol), ports))
    throw refuse(`names port ${url.port}; the port ${PORT_RULE}`)
  return url.href
}
