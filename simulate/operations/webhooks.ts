import { setTimeout as pause } from 'node:timers/promises'
import { type Client, parse } from '../clients/client.ts'
import { now } from '../clients/exchange.ts'
import type { Receiver } from '../clients/receiver.ts'
import type { Account, Came, Hook } from '../clients/records.ts'
import { demand, Finding } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import { lineOf, readFeed, TYPES_WITH_EVENTS, toSeenNotification } from './notifications.ts'

/** Creates an endpoint of the account, with or without event notifications, before any fault. */
export async function createHook(
  client: Client,
  account: Account,
  hook: Hook,
  isOfEvents: boolean,
): Promise<void> {
  client.world.count('create hook')
  const body = JSON.stringify({ url: hook.url, types: isOfEvents ? TYPES_WITH_EVENTS : null })
  const reply = await client.send(account, { method: 'POST', path: '/v1/webhook_endpoints', body })
  if (reply.is !== 'answer' || reply.status !== 201)
    throw new Finding('a webhook endpoint was not made', reply)
  const made = parse(reply.text)
  hook.id = made.id as string
  hook.secret = made.secret as string
  account.hook = hook
  account.hasEventNotifications = isOfEvents
}

/** A delivery that is in no feed, added while other deliveries are added. */
export async function testHook(client: Client, account: Account): Promise<void> {
  const { hook } = account
  if (hook === null) return
  client.world.count('test hook')
  const path = `/v1/webhook_endpoints/${hook.id}/test`
  const reply = await client.send(account, { method: 'POST', path, body: '{}' })
  if (reply.is !== 'answer' || reply.status >= 500) return
  demand(
    reply.status === 202,
    () => `the test of a webhook endpoint was answered ${reply.status}`,
    () => reply,
  )
  const { number, hash } = parse(reply.text)
  hook.promised.set(number as number, hash as string)
}

/** Deliveries that are reported as succeeded have arrived, and none has failed. */
export async function readDeliveries(client: Client, account: Account): Promise<void> {
  if (account.hook === null) return
  client.world.count('read deliveries')
  await readPage(client, account, account.hook, `&status=${client.random.pick(['succeeded', 'failed'])}`)
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
  hook: Hook,
  query: string,
): Promise<{ rows: Listed[]; next: string | null } | null> {
  const path = `/v1/webhook_deliveries?endpoint_id=${hook.id}&limit=100${query}`
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.is !== 'answer' || reply.status !== 200) return null
  const { data, next_cursor } = parse(reply.text) as { data: JsonObject[]; next_cursor: string | null }
  const rows = data as unknown as Listed[]
  for (const row of rows) {
    const came = hook.came.get(row.number)
    const fits = came === undefined || came.hash === row.hash
    const hasArrived = row.status !== 'succeeded' || (came !== undefined && came.takenAt !== null)
    const about = () => ({ row, came })
    demand(fits, () => `delivery ${row.number} is listed with another hash than it came with`, about)
    demand(row.status !== 'failed', () => `delivery ${row.number} was given up`, about)
    demand(hasArrived, () => `delivery ${row.number} is said to have arrived, and was never taken`, about)
  }
  return { rows, next: next_cursor }
}

/** The lease of a killed server on an endpoint lasts 30 s. */
const TIMEOUT_MS = 120_000
const ASK_EVERY_MS = 200

/** At the end each notification has arrived, in the order of the feed, numbered without gaps. */
export async function judgeHook(client: Client, account: Account, receiver: Receiver): Promise<void> {
  receiver.judge()
  const { hook } = account
  // Times that were written with a stepped clock may be an hour off.
  if (hook === null || !client.world.clocksAreRight) return
  const feed = await readFeed(client, account, account.hasEventNotifications)
  const inFeed = new Set(feed.map(({ id }) => id))
  const missing = () => {
    const taken = new Set(
      comeInOrder(hook).map(({ notification, takenAt }) => takenAt !== null && notification.id),
    )
    return feed.filter(({ id }) => !taken.has(id))
  }
  const deadline = now() + TIMEOUT_MS
  while (missing().length > 0) {
    receiver.judge()
    if (now() > deadline) break
    await pause(ASK_EVERY_MS)
  }
  const left = missing()
  demand(
    left.length === 0,
    () => `${left.length} of ${feed.length} notifications are not delivered, for ${TIMEOUT_MS / 1_000} s`,
    () => left.slice(0, 3),
  )
  const came = comeInOrder(hook).filter(({ notification }) => inFeed.has(notification.id as string))
  const lines = came.map(({ notification }) => lineOf(toSeenNotification(notification)))
  const at = feed.findIndex((one, i) => lines[i] !== lineOf(one))
  demand(
    at < 0 && lines.length === feed.length,
    () => `the deliveries are not the notifications, from number ${at} of ${feed.length} on`,
    () => ({ feed: feed[at], came: lines[at] }),
  )
  await judgeQuiet(client, account, hook, deadline)
  receiver.judge()
}

const comeInOrder = ({ came }: Hook): Came[] =>
  [...came].sort(([a], [b]) => a - b).map(([, delivery]) => delivery)

/** All deliveries have arrived and are recorded as succeeded. */
async function judgeQuiet(client: Client, account: Account, hook: Hook, deadline: number): Promise<void> {
  for (;;) {
    const listed = await readAll(client, account, hook)
    const open = listed?.find(({ status }) => status !== 'succeeded')
    if (listed !== null && open === undefined) {
      const numbers = listed.map(({ number }) => number)
      demand(
        numbers.every((number, i) => number === i + 1),
        () => 'the numbers of deliveries have holes',
        () => numbers,
      )
      const hashes = new Map(listed.map(({ number, hash }) => [number, hash]))
      for (const [number, hash] of hook.promised)
        demand(hashes.get(number) === hash, () => `delivery ${number} is not the one that was promised`)
      return
    }
    demand(
      now() <= deadline,
      () => `delivery ${open?.number} waits, for ${TIMEOUT_MS / 1_000} s`,
      () => open,
    )
    await pause(ASK_EVERY_MS)
  }
}

/** Null: a response is missing. */
async function readAll(client: Client, account: Account, hook: Hook): Promise<Listed[] | null> {
  const all: Listed[] = []
  for (let after = ''; ; ) {
    const page = await readPage(client, account, hook, `&order=asc${after}`)
    if (page === null) return null
    all.push(...page.rows)
    if (page.next === null) return all
    after = `&after=${page.next}`
  }
}
