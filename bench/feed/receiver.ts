import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Histogram, type HistogramData } from '../load/histogram.ts'

// A webhook receiver in a separate process. It answers every request with 204 and reports the deliveries on request.

/** The deliveries since the last `forget`. Times are wall-clock times in milliseconds. */
export interface Received {
  /** Different deliveries: a retry does not count again. */
  deliveries: number
  attempts: number
  lastAt: number
  /** Time from `created_at` of a notification until its first arrival. `created_at` is just before the commit. */
  latency: HistogramData
}

/** Resets the counts, or asks for a report when this number of deliveries has arrived. */
export type ReceiverOrder = { forget: true } | { reportAt: number }
export type ReceiverMessage = { url: string } | { received: Received }

/** The property is within the first characters of a body. */
const CREATED_AT = /"created_at":"([^"]+)"/
const READ_CHARACTERS = 256

let latency = new Histogram()
let known = new Set<string>()
let attempts = 0
let lastAt = 0
let reportAt: number | null = null

const send = (message: ReceiverMessage) => void process.send?.(message)

function recordDelivery(number: string, body: string, at: number): void {
  attempts++
  if (known.has(number)) return
  known.add(number)
  lastAt = at
  latency.record(at - Date.parse(CREATED_AT.exec(body)?.[1] ?? ''))
  reportIfReached()
}

function reportIfReached(): void {
  if (reportAt === null || known.size < reportAt) return
  reportAt = null
  send({ received: { deliveries: known.size, attempts, lastAt, latency: latency.toData() } })
}

const server = createServer((request, response) => {
  const at = Date.now()
  const number = request.headers['claimkeeper-delivery-number']
  let body = ''
  request.on('data', (chunk: Buffer) => {
    if (body.length < READ_CHARACTERS) body += chunk.toString('latin1', 0, READ_CHARACTERS)
  })
  request.on('end', () => {
    response.writeHead(204).end()
    if (typeof number === 'string') recordDelivery(number, body, at)
  })
})
// Long enough that the sender, not this server, closes idle connections.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  send({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
)

process.once('disconnect', () => process.exit())
process.on('message', (order: ReceiverOrder) => {
  if ('reportAt' in order) {
    reportAt = order.reportAt
    reportIfReached()
    return
  }
  latency = new Histogram()
  known = new Set()
  attempts = 0
  lastAt = 0
})
