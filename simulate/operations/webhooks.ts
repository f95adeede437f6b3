import { setTimeout as pause } from 'node:timers/promises'
import { type Client, parse } from '../clients/client.ts'
import { now } from '../clients/http-connection.ts'
import type { Account, ReceivedDelivery, WebhookEndpoint } from '../clients/records.ts'
import type { WebhookReceiver } from '../clients/webhook-receiver.ts'
import { assert, Finding } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import { lineOf, readFeed, TYPES_WITH_EVENTS, toSeenNotification } from './notifications.ts'

/** Creates an endpoint of the account, with or without event notifications, before any fault. */
export async function createEndpoint(
  client: Client,
  account: Account,
  endpoint: WebhookEndpoint,
  isOfEvents: boolean,
): Promise<void> {
  client.world.count('create hook')
  const body = JSON.stringify({ url: endpoint.url, types: isOfEvents ? TYPES_WITH_EVENTS : null })
  const reply = await client.send(account, { method: 'POST', path: '/v1/webhook_endpoints', body })
  if (reply.kind !== 'answer' || reply.status !== 201)
    throw new Finding('a webhook endpoint was not created', reply)
  const made = parse(reply.text)
  endpoint.id = made.id as string
  endpoint.secret = made.secret as string
  account.endpoint = endpoint
  account.hasEventNotifications = isOfEvents
}

/** A delivery that is in no feed, added while other deliveries are added. */
export async function testEndpoint(client: Client, account: Account): Promise<void> {
  const { endpoint } = account
  if (endpoint === null) return
  client.world.count('test hook')
  const path = `/v1/webhook_endpoints/${endpoint.id}/test`
  const reply = await client.send(account, { method: 'POST', path, body: '{}' })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  assert(
    reply.status === 202,
    () => `the test of a webhook endpoint was answered ${reply.status}`,
    () => reply,
  )
  const { number, hash } = parse(reply.text)
  endpoint.announcedHashes.set(number as number, hash as string)
}

/** Deliveries with the status `succeeded` have arrived, and no delivery has failed. */
export async function readDeliveries(client: Client, account: Account): Promise<void> {
  if (account.endpoint === null) return
  client.world.count('read deliveries')
  await readPage(client, account, account.endpoint, `&status=${client.random.pick(['succeeded', 'failed'])}`)
}

interface Listed {
  number: number
  hash: string
  status: string
}

/** Null: no response. */
async function readPage(
  client: Client,
  account: Account,
  endpoint: WebhookEndpoint,
  query: string,
): Promise<{ rows: Listed[]; next: string | null } | null> {
  const path = `/v1/webhook_deliveries?endpoint_id=${endpoint.id}&limit=100${query}`
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.kind !== 'answer' || reply.status !== 200) return null
  const { data, next_cursor } = parse(reply.text) as { data: JsonObject[]; next_cursor: string | null }
  const rows = data as unknown as Listed[]
  for (const row of rows) {
    const received = endpoint.received.get(row.number)
    const matches = received === undefined || received.hash === row.hash
    const hasArrived = row.status !== 'succeeded' || (received !== undefined && received.acceptedAt !== null)
    const about = () => ({ row, received })
    assert(
      matches,
      () => `delivery ${row.number} is listed with another hash than the received delivery`,
      about,
    )
    assert(row.status !== 'failed', () => `delivery ${row.number} has failed`, about)
    assert(hasArrived, () => `delivery ${row.number} is listed as succeeded, but was never accepted`, about)
  }
  return { rows, next: next_cursor }
}

/** The lease of a killed server on an endpoint lasts 30 s. */
const TIMEOUT_MS = 120_000
const POLL_INTERVAL_MS = 200

/** At the end each notification has arrived, in the order of the feed, numbered without gaps. */
export async function verifyDeliveries(
  client: Client,
  account: Account,
  receiver: WebhookReceiver,
): Promise<void> {
  receiver.throwFinding()
  const { endpoint } = account
  // Times that were written with a stepped clock may be an hour off.
  if (endpoint === null || !client.world.clocksAreRight) return
  const feed = await readFeed(client, account, account.hasEventNotifications)
  const inFeed = new Set(feed.map(({ id }) => id))
  const missing = () => {
    const taken = new Set(
      receivedInOrder(endpoint).map(({ notification, acceptedAt }) => acceptedAt !== null && notification.id),
    )
    return feed.filter(({ id }) => !taken.has(id))
  }
  const deadline = now() + TIMEOUT_MS
  while (missing().length > 0) {
    receiver.throwFinding()
    if (now() > deadline) break
    await pause(POLL_INTERVAL_MS)
  }
  const left = missing()
  assert(
    left.length === 0,
    () => `${left.length} of ${feed.length} notifications are not delivered, for ${TIMEOUT_MS / 1_000} s`,
    () => left.slice(0, 3),
  )
  const received = receivedInOrder(endpoint).filter(({ notification }) =>
    inFeed.has(notification.id as string),
  )
  const lines = received.map(({ notification }) => lineOf(toSeenNotification(notification)))
  const at = feed.findIndex((one, i) => lines[i] !== lineOf(one))
  assert(
    at < 0 && lines.length === feed.length,
    () => `the deliveries are not the notifications, from number ${at} of ${feed.length} on`,
    () => ({ feed: feed[at], received: lines[at] }),
  )
  await verifyAllSucceeded(client, account, endpoint, deadline)
  receiver.throwFinding()
}

const receivedInOrder = ({ received }: WebhookEndpoint): ReceivedDelivery[] =>
  [...received].sort(([a], [b]) => a - b).map(([, delivery]) => delivery)

/** All deliveries have arrived and are recorded as succeeded. */
async function verifyAllSucceeded(
  client: Client,
  account: Account,
  endpoint: WebhookEndpoint,
  deadline: number,
): Promise<void> {
  for (;;) {
    const listed = await readAll(client, account, endpoint)
    const open = listed?.find(({ status }) => status !== 'succeeded')
    if (listed !== null && open === undefined) {
      const numbers = listed.map(({ number }) => number)
      assert(
        numbers.every((number, i) => number === i + 1),
        () => 'the numbers of deliveries have gaps',
        () => numbers,
      )
      const hashes = new Map(listed.map(({ number, hash }) => [number, hash]))
      for (const [number, hash] of endpoint.announcedHashes)
        assert(
          hashes.get(number) === hash,
          () => `delivery ${number} has another hash than the test response`,
        )
      return
    }
    assert(
      now() <= deadline,
      () => `delivery ${open?.number} is not sent for ${TIMEOUT_MS / 1_000} s`,
      () => open,
    )
    await pause(POLL_INTERVAL_MS)
  }
}

/** Null: a response is missing. */
async function readAll(
  client: Client,
  account: Account,
  endpoint: WebhookEndpoint,
): Promise<Listed[] | null> {
  const all: Listed[] = []
  for (let after = ''; ; ) {
    const page = await readPage(client, account, endpoint, `&order=asc${after}`)
    if (page === null) return null
    all.push(...page.rows)
    if (page.next === null) return all
    after = `&after=${page.next}`
  }
}
