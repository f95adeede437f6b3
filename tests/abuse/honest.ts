import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Account } from './attack.ts'

/*
 * The honest caller, a process of its own: submits events at a steady rate, creates some claims, reads a claim and a
 * list each second, and gets notifications of its claims by a webhook.
 * The rate does not fall where answers are slow: latencies count from when a request was due.
 */

export interface Errand {
  url: string
  account: Account
  claims: string[]
  perSecond: number
}

/** What came of it. Latencies in milliseconds, those of requests without an answer included. */
export interface Fared {
  submissions: number[]
  creations: number[]
  reads: number[]
  /** From the time that a notification bears to its first arrival. */
  webhooks: number[]
  /** Claims that were created without a notification. */
  unnotified: number
  /** Answers that were no success, by what they were. */
  refused: Record<string, number>
  firstRefusal: string | null
  /** Ids of the events that were acknowledged. */
  acknowledged: string[]
  /** Ids of the claims that were. */
  created: string[]
  /** The longest pause of this process itself, which its latencies have in them. */
  ownDelayMs: number
}

const TICK_MS = 5
/** More than one request in twenty is a creation: p95 shows if these alone are slow. */
const CREATE_EVERY_MS = 250
const CONTRACT = {
  price: 1,
  activity_window: 86_400,
  review_window: 60,
  timeout_outcome: 'fail',
  fulfillment_condition: { event: 'done' },
}
const CONNECTIONS = 64
/** Requests in flight. A request beyond the limit counts as refused. */
const MAX_OPEN_REQUESTS = 2_000
/** How long answers are waited for at the end. */
const LAST_ANSWERS_MS = 20_000

/** No attack comes from there: of its own address nobody else uses up the connections. */
const from = process.platform === 'linux' ? { localAddress: '127.0.0.254' } : {}
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ...from })
const fared: Fared = {
  submissions: [],
  creations: [],
  reads: [],
  webhooks: [],
  unnotified: 0,
  refused: {},
  firstRefusal: null,
  acknowledged: [],
  created: [],
  ownDelayMs: 0,
}
const isOpen = new Map<number, { dueAt: number; latencies: number[] }>()
let number = 0

function refuse(what: string, body: string): void {
  fared.refused[what] = (fared.refused[what] ?? 0) + 1
  fared.firstRefusal ??= `${what} ${body}`.slice(0, 300)
}

interface Call {
  path: string
  body?: object
  /** With the answer to a success. */
  onSuccess?: (text: string) => void
}

function send(
  { url, account }: Errand,
  dueAt: number,
  latencies: number[],
  { path, body, onSuccess }: Call,
): void {
  const own = number++
  if (isOpen.size >= MAX_OPEN_REQUESTS) {
    refuse('too many without an answer', '')
    return
  }
  isOpen.set(own, { dueAt, latencies })
  const json = body && JSON.stringify(body)
  const end = (status: number | string, text: string) => {
    if (!isOpen.delete(own)) return
    latencies.push(performance.now() - dueAt)
    if (status === 200 || status === 201) onSuccess?.(text)
    else refuse(String(status), text)
  }
  const headers = {
    Authorization: `Bearer ${account.token}`,
    ...(json ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) } : {}),
  }
  // Each read has a new connection: new clients must be served too.
  const by = body ? agent : false
  const options = { agent: by, method: body ? 'POST' : 'GET', headers, ...from }
  const outgoing = request(url + path, options, (response) => {
    let text = ''
    response.on('data', (chunk: Buffer) => {
      if (text.length < 1_000) text += chunk
    })
    response.on('end', () => end(response.statusCode as number, text))
    response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'broken', error.message))
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'broken', error.message))
  outgoing.end(json)
}

let isOver = false
/** Claims with a delivered notification. */
const notified = new Set<string>()
/** By the machine's clock: what happened before counts for nothing. */
let countsFrom = 0

const receiver = createServer((incoming, answer) => {
  const at = Date.now()
  let text = ''
  incoming.on('data', (chunk: Buffer) => {
    text += chunk
  })
  incoming.on('end', () => {
    answer.writeHead(204).end()
    const { created_at, claim } = JSON.parse(text) as { created_at: string; claim?: { id: string } }
    if (!claim || notified.has(claim.id)) return
    notified.add(claim.id)
    const happenedAt = Date.parse(created_at)
    if (happenedAt >= countsFrom) fared.webhooks.push(at - happenedAt)
  })
})

/** Asks for webhooks, and then for all else. */
function begin(errand: Errand): void {
  receiver.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const call = { path: '/v1/webhook_endpoints', body: { url }, onSuccess: () => run(errand) }
    send(errand, performance.now(), [], call)
  })
}

/** Each tick sends what became due since the last. */
function run(errand: Errand): void {
  const startedAt = performance.now()
  let ticked = startedAt
  let submitted = 0
  let created = 0
  let read = 0
  const timer = setInterval(() => {
    const now = performance.now()
    fared.ownDelayMs = Math.max(fared.ownDelayMs, now - ticked - TICK_MS)
    ticked = now
    if (isOver) return clearInterval(timer)
    for (; startedAt + (submitted * 1000) / errand.perSecond <= now; submitted++) {
      const claim_id = errand.claims[submitted % errand.claims.length]
      const id = `honest-${submitted}`
      send(errand, startedAt + (submitted * 1000) / errand.perSecond, fared.submissions, {
        path: '/v1/events',
        body: { id, claim_id, type: 'note', n: submitted },
        onSuccess: () => fared.acknowledged.push(id),
      })
    }
    for (; startedAt + created * CREATE_EVERY_MS <= now; created++) {
      send(errand, startedAt + created * CREATE_EVERY_MS, fared.creations, {
        path: '/v1/claims',
        body: { customer_id: errand.account.customerId, contract: CONTRACT },
        onSuccess: (text) => fared.created.push(/"id":"([^"]+)"/.exec(text)?.[1] ?? text),
      })
    }
    for (; startedAt + read * 500 <= now; read++) {
      const path = read % 2 === 0 ? `/v1/claims/${errand.claims[0]}` : '/v1/claims?limit=50&status=OPEN'
      send(errand, startedAt + read * 500, fared.reads, { path })
    }
  }, TICK_MS)
}

/** Sends nothing more, waits for what is under way, and tells. */
function finish(): void {
  isOver = true
  const deadline = performance.now() + LAST_ANSWERS_MS
  const timer = setInterval(() => {
    const unnotified = fared.created.filter((id) => !notified.has(id))
    if (isOpen.size + unnotified.length > 0 && performance.now() < deadline) return
    clearInterval(timer)
    fared.unnotified = unnotified.length
    for (const { dueAt, latencies } of isOpen.values()) {
      latencies.push(performance.now() - dueAt)
      refuse('no answer', '')
    }
    process.send?.(fared)
  }, TICK_MS)
}

/** What came before counts for nothing: connections were opened, code was compiled. */
function beginToCount(): void {
  fared.submissions.length = 0
  fared.creations.length = 0
  fared.reads.length = 0
  fared.webhooks.length = 0
  countsFrom = Date.now()
  fared.ownDelayMs = 0
}

const words: Record<string, () => void> = { count: beginToCount, stop: finish, leave: () => process.exit() }

process.once('disconnect', () => process.exit())
process.once('message', (errand: Errand) => {
  process.on('message', (word: string) => words[word]?.())
  begin(errand)
})
