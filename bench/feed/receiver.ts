import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Histogram, type HistogramData } from '../load/histogram.ts'

// A receiver of webhooks, a process of its own: answers each with 204 at once, and tells what has come when it is asked.

/** What has come since the last order. Times by the clock of the machine, in milliseconds. */
export interface Received {
  /** Each counted once, however often it came. */
  deliveries: number
  attempts: number
  lastAt: number
  /** From the time that a notification bears, which is just before its commit, to its first arrival. */
  latency: HistogramData
}

/** To forget all, or to report when a number of deliveries has come. */
export type ReceiverOrder = { forget: true } | { tellAt: number }
export type ReceiverMessage = { url: string } | { received: Received }

/** Within the beginning of a body. */
const CREATED_AT = /"created_at":"([^"]+)"/
const BEGINNING = 256

let latency = new Histogram()
let known = new Set<string>()
let attempts = 0
let lastAt = 0
let tellAt: number | null = null

const say = (message: ReceiverMessage) => void process.send?.(message)

function arrived(number: string, body: string, at: number): void {
  attempts++
  if (known.has(number)) return
  known.add(number)
  lastAt = at
  latency.record(at - Date.parse(CREATED_AT.exec(body)?.[1] ?? ''))
  tellIfThere()
}

function tellIfThere(): void {
  if (tellAt === null || known.size < tellAt) return
  tellAt = null
  say({ received: { deliveries: known.size, attempts, lastAt, latency: latency.toData() } })
}

const server = createServer((request, response) => {
  const at = Date.now()
  const number = request.headers['claimkeeper-delivery-number']
  let body = ''
  request.on('data', (chunk: Buffer) => {
    if (body.length < BEGINNING) body += chunk.toString('latin1', 0, BEGINNING)
  })
  request.on('end', () => {
    response.writeHead(204).end()
    if (typeof number === 'string') arrived(number, body, at)
  })
})
// The sender closes a connection that is kept.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  say({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
)

process.once('disconnect', () => process.exit())
process.on('message', (order: ReceiverOrder) => {
  if ('tellAt' in order) {
    tellAt = order.tellAt
    tellIfThere()
    return
  }
  latency = new Histogram()
  known = new Set()
  attempts = 0
  lastAt = 0
})
