import type { Bench } from '../bench.ts'
import { CONTRACT } from '../claims.ts'
import { highestRateOf } from '../fastest.ts'
import type { PhaseResult } from '../load/plan.ts'
import { startLoad } from '../load/run-load.ts'
import { claimId } from '../load/submissions.ts'
import { percentilesOf } from '../measured.ts'
import { requireAccepted } from '../measured-run.ts'
import type { Part } from '../part.ts'
import { alias, CUSTOMER, customerExternalId, customerId, METADATA } from '../reads/account.ts'
import { CLAIM_SET, loadAccount } from '../reads/load-account.ts'
import { loadFreshClaims, submitDuring } from '../submission-run.ts'

/** Enough for the rate even if each response takes 100 ms. */
const SUBMITTING_CONNECTIONS = 512
const READING_CONNECTIONS = 2
const WARMUP_REQUESTS = 10
const MAX_MS = 900_000
/** A time range of the account's claims, which were created one millisecond apart, two days ago. */
const rangeOf = (from: number, before: number, claims: number) => {
  const at = (part: number) => new Date(Date.now() - 2 * 86_400_000 + part * claims).toISOString()
  return { from: at(from), before: at(before) }
}

/** Filters and orders with their query parameters. */
function kindsOf(claims: number): Record<string, Record<string, string>> {
  const unusedPrice = `${CONTRACT.price + 1}`
  const created = rangeOf(0.4, 0.6, claims)
  const large = customerId(CUSTOMER.large)
  return {
    'all, for comparison': {},
    'two statuses': { status: 'OPEN,FAILED' },
    live: { clock: 'live' },
    'created between': { created_from: created.from, created_before: created.before },
    'created between, OPEN': { created_from: created.from, created_before: created.before, status: 'OPEN' },
    'resolved since': { resolved_from: created.from },
    'resolved since, in that order': { resolved_from: created.from, sort: 'status_since' },
    'due next': { sort: 'due_at' },
    'due next, of a customer': { sort: 'due_at', customer_id: large },
    'due next, PENDING': { sort: 'due_at', status: 'PENDING' },
    'longest OPEN': { sort: 'status_since', status: 'OPEN' },
    'longest PENDING': { sort: 'status_since', status: 'PENDING' },
    'changed last': { sort: 'status_since' },
    'a price of all claims': { price_from: '0' },
    'metadata of many claims': { 'metadata[region]': METADATA.many.region },
    'metadata of few claims': { 'metadata[order]': METADATA.few.order },
    'metadata of no claim': { 'metadata[order]': 'A-8' },
    'metadata of many claims, FAILED': { 'metadata[region]': METADATA.many.region, status: 'FAILED' },
    'metadata of many claims, due next': { 'metadata[region]': METADATA.many.region, sort: 'due_at' },
    'a price of no claim': { price_from: unusedPrice },
    'the total of all': { total: 'true' },
    'the total of FAILED, live claims': { total: 'true', status: 'FAILED', clock: 'live' },
    'the total of a price of no claim': { total: 'true', price_from: unusedPrice },
    'a price of no claim, due next': { price_from: unusedPrice, sort: 'due_at' },
    'a price of no claim, changed last': { price_from: unusedPrice, sort: 'status_since' },
    'a price of no claim, of a customer': { price_from: unusedPrice, customer_id: large },
  }
}

/** Searches of the dashboard and other lookups by name. */
function searchesOf(claims: number): Record<string, string> {
  const id = claimId(CLAIM_SET, Math.floor(claims / 2))
  const shortened = encodeURIComponent(`${id.slice(0, 8)}…${id.slice(-6)}`)
  return {
    'search, the beginning of all ids': `/v1/claims?search=${id.slice(0, 8)}`,
    'search, an id': `/v1/claims?search=${id}`,
    'search, a shortened id': `/v1/claims?search=${shortened}`,
    'search, a reference of no claim': '/v1/claims?reference=order-4711',
    'search, the beginning of all aliases': '/v1/candidates?search=candidate&order=desc',
    'search, the beginning of all aliases, FAILED': '/v1/candidates?search=candidate&status=FAILED',
    'search, an alias': `/v1/candidates?search=${alias(Math.floor(claims / 20))}`,
    'search, the beginning of all customers': '/v1/customers?search=customer&order=desc',
    'search, a customer': `/v1/customers?search=${customerExternalId(CUSTOMER.large)}`,
    'types of the latest events': '/v1/event_types',
  }
}

export const lists: Part = {
  name: 'lists',
  summary:
    'a page of claims by each filter and in each order, and searches, during submissions at half of the highest rate',
  run: async (bench, report) => {
    const claims = bench.sizes.listedClaims
    const pick = await loadFreshClaims(bench, bench.sizes.warmClaims)
    const { database, server } = await bench.main()
    bench.progress.doing(`loading an account of ${claims.toLocaleString('en')} claims`)
    await loadAccount(database, claims, (fraction) => bench.progress.at(fraction))
    await (await bench.cluster()).checkpoint()
    const rate = (await highestRateOf(bench, pick)) / 2
    const kinds = kindsOf(claims)
    const pages = Object.entries(kinds).flatMap(([name, query]) =>
      ['asc', 'desc'].map((order) => ({
        name: `${name}, ${order}`,
        path: `/v1/claims?${new URLSearchParams({ ...query, order, limit: '50' })}`,
      })),
    )
    const searches = Object.entries(searchesOf(claims)).map(([name, path]) => ({ name, path }))
    const paths = [...pages, ...searches]
    const { warmupMs } = bench.sizes
    const background = { pick, connections: SUBMITTING_CONNECTIONS, rate, warmupMs, maxMs: MAX_MS }
    const { done, measured } = await submitDuring(bench, background, () => readAll(bench, server.url, paths))
    for (const [i, { name }] of paths.entries()) {
      const result = done[i] as PhaseResult
      requireAccepted(result)
      report.row({ what: name, ...percentilesOf(result.latency) })
    }
    report.measured('submissions during the lists', measured)
    const worst = Math.max(...done.map(({ latency }) => percentilesOf(latency).p99))
    report.figure('list_worst_p99_ms', worst)
    report.figure('list_p99_ms', percentilesOf(...done.map(({ latency }) => latency)).p99)
  },
}

async function readAll(
  bench: Bench,
  url: string,
  paths: readonly { path: string }[],
): Promise<PhaseResult[]> {
  const { database } = await bench.main()
  const phases = paths.map(({ path }) => ({
    requests: { kind: 'read' as const, paths: [path] },
    until: { warmupRequests: WARMUP_REQUESTS, requests: bench.sizes.readsOfKind },
    rate: null,
  }))
  const { token } = database
  return startLoad({ url, token, connections: READING_CONNECTIONS, phases }, bench.cleanup).results
}
