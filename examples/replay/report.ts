import Table from 'cli-table3'
import { duration } from '../../src/backtest/report/figures.ts'
import type { Submissions } from './submit-events.ts'

export interface Report extends Submissions {
  cases: number
  customers: number
  events: number
  /** Claims by status and scheduled outcome. */
  claims: [standing: string, count: number][]
  /** Requests that were sent again after a lost connection, 429 or 503. */
  retries: number
  /** `waiting` is null where the checks were not waited for. */
  seconds: { opening: number; submitting: number; waiting: number | null }
}

/** The report as one JSON object. */
export function toJson(report: Report): string {
  const { claims, refused, seconds, ...rest } = report
  const json = {
    ...rest,
    refused_claim_not_open: refused,
    claims: claims.map(([standing, count]) => {
      const [status, scheduled = null] = standing.split(' → ')
      return { status, scheduled_outcome: status === 'PENDING' ? scheduled : terminalOutcome(status), count }
    }),
    seconds: Object.fromEntries(Object.entries(seconds).map(([phase, value]) => [phase, round(value)])),
    events_per_second: eventsPerSecond(report),
  }
  return JSON.stringify(json, null, 2)
}

/** A terminal claim keeps the outcome that was scheduled; an OPEN one has none. */
const terminalOutcome = (status: string | undefined) => (status === 'OPEN' ? null : status)

/** The report for a person. */
export function toTable(report: Report): string {
  const { seconds } = report
  const table = new Table({ style: { head: [], border: [], compact: true }, colAligns: ['left', 'right'] })
  table.push(
    ['cases', report.cases],
    ['customers', report.customers],
    ['events in the log', report.events],
    ['events accepted', report.accepted],
    ...whereAny('  of these told on a retry', report.replayed),
    ['events refused as CLAIM_NOT_OPEN', report.refused],
    ...report.claims.map(([standing, count]) => [`claims ${standing}`, count]),
    ...whereAny('requests sent again', report.retries),
    ['opening claims', duration(seconds.opening * 1000)],
    ['submitting events', `${duration(seconds.submitting * 1000)}, ${eventsPerSecond(report)}/s`],
    ...(seconds.waiting === null ? [] : [['waiting for the checks', duration(seconds.waiting * 1000)]]),
  )
  return table.toString()
}

const whereAny = (title: string, count: number) => (count > 0 ? [[title, count]] : [])

const round = (seconds: number | null) => seconds && Number(seconds.toFixed(3))

const eventsPerSecond = ({ events, seconds }: Report) =>
  Math.round(events / Math.max(seconds.submitting, 0.001))
