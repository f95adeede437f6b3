import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const EVENTS_PER_CASE = 8
const TYPES = ['opened', 'assigned', 'noted', 'charged', 'waited', 'resolved', 'rated', 'closed']

export const BACKTEST_CONTRACT = {
  price: 0.1,
  activity_window: 5 * 86_400,
  review_window: 3600,
  timeout_outcome: 'fail',
  fulfillment_condition: {
    op: 'AND',
    conditions: [
      { event: 'resolved' },
      { event: 'rated', field: 'score', gte: 3 },
      { op: 'NOT', condition: { event: 'charged', field: 'amount', gt: 90 } },
    ],
  },
}

/** Writes a log with this number of events. In a sorted log the events of a case are consecutive. */
export async function writeEventLog(path: string, events: number, isSorted: boolean): Promise<void> {
  const file = createWriteStream(path)
  file.write('case_id,type,occurred_at,amount,score,agent,desk\n')
  const cases = Math.ceil(events / EVENTS_PER_CASE)
  for (let event = 0; event < events; ) {
    let text = ''
    const end = Math.min(event + 10_000, events)
    while (event < end) text += rowOf(event++, isSorted, cases)
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

/** One line of the log. It depends only on the number, so that each run writes the same log. */
function rowOf(event: number, isSorted: boolean, cases: number): string {
  const step = isSorted ? event % EVENTS_PER_CASE : Math.floor(event / cases)
  const caseNumber = isSorted ? Math.floor(event / EVENTS_PER_CASE) : event % cases
  const chance = (Math.imul(caseNumber + 1, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b)) >>> 0
  const hours = caseNumber * 0.02 + step * (6 + (chance % 24))
  const time = new Date(1_700_000_000_000 + Math.round(hours * 3_600_000)).toISOString()
  const type = TYPES[step]
  const amount = type === 'charged' ? (chance % 10_000) / 100 : ''
  const score = type === 'rated' ? 1 + (chance % 5) : ''
  return `C-${caseNumber},${type},${time},${amount},${score},agent-${chance % 50},desk ${chance % 7}\n`
}
