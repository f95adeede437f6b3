import { basename } from 'node:path'
import { decisiveEventTypes } from '../../core/contracts/contract.ts'
import { contractInWords } from '../../core/contracts/contract-in-words.ts'
import { REFUSALS } from '../backtest.ts'
import type { BacktestResult } from '../backtest-result.ts'
import { toPeriods } from '../cases/periods.ts'
import { decimalText } from '../decimal.ts'
import { REASONS, type Reason, type Totals } from '../totals.ts'
import { barChart, type Series, shareChart } from './charts.ts'
import { duration, grouped, share } from './figures.ts'
import { resolutionBins } from './histogram.ts'
import { type Html, html } from './html.ts'
import { marginWords, missingWords, REASON_WORDS, REFUSAL_WORDS } from './words.ts'

const MAX_TYPES = 30

const OUTCOMES: Series[] = [
  { name: 'Confirmed', colour: 'confirmed' },
  { name: 'Failed', colour: 'failed' },
  { name: 'Pending', colour: 'pending' },
  { name: 'Open', colour: 'open' },
]
const REASON_COLOURS: Record<Reason, Series['colour']> = {
  condition_satisfied: 'confirmed',
  window_elapsed_confirm: 'confirmed',
  window_elapsed_events_late: 'failed',
  window_elapsed_events_missing: 'failed',
  still_pending: 'pending',
  still_open: 'open',
}

/** The section of one contract. */
export function contractSections(totals: Totals, { files, backtest }: BacktestResult, place: number): Html {
  const name = basename(files[place] ?? '')
  return html`<section><h2>${files.length > 1 ? name : 'The contract'}</h2>
<p>${contractInWords(totals.contract).join(' ')}</p>
<details><summary>As JSON</summary><pre>${JSON.stringify(totals.contract, null, 2)}</pre></details>
${tiles(totals)}</section>
<div class="two">${overTime(totals)}${timeToResolution(totals)}${reasons(totals)}${types(totals, backtest.reading.types)}</div>
${losers(totals)}`
}

function tiles(totals: Totals): Html {
  const { count, cases } = totals
  const tile = (colour: string, title: string, figure: string, note: string) =>
    html`<div class="tile ${colour}"><small>${title}</small><b>${figure}</b><small>${note}</small></div>`
  const price = (status: keyof typeof count) => grouped(decimalText(totals.priceSum(status)))
  const median = (status: 'CONFIRMED' | 'FAILED') => {
    const value = totals.resolution[status].median
    return value === null ? '' : `median ${duration(value)}`.replaceAll(' ', '\u00a0')
  }
  return html`<div class="tiles">
${tile('confirmed', 'Paid', price('CONFIRMED'), `${grouped(totals.contract.price)} a confirmed case`)}
${tile('all', 'Cases', grouped(cases), '')}
${tile('confirmed', 'Confirmed', grouped(count.CONFIRMED), [share(count.CONFIRMED, cases), median('CONFIRMED')].filter(Boolean).join(', '))}
${tile('failed', 'Failed', grouped(count.FAILED), [share(count.FAILED, cases), median('FAILED')].filter(Boolean).join(', '))}
${tile('failed', 'Not paid', price('FAILED'), 'for failed cases')}
${count.PENDING > 0 ? tile('pending', 'Still PENDING', grouped(count.PENDING), `${price('PENDING')} at stake`) : null}
${count.OPEN > 0 ? tile('open', 'Still OPEN', grouped(count.OPEN), `${price('OPEN')} at stake`) : null}
</div>`
}

function overTime({ byDay }: Totals): Html | null {
  const found = toPeriods(byDay)
  if (!found) return null
  const bars = found.periods.map(({ label, counts }) => ({
    label,
    values: [counts.CONFIRMED, counts.FAILED, counts.PENDING, counts.OPEN],
  }))
  return html`<section><h2>Outcomes over time</h2><small>Cases by the ${found.unit} that they opened in</small>
${barChart('Outcomes over time', OUTCOMES, bars)}</section>`
}

function timeToResolution(totals: Totals): Html | null {
  const bins = resolutionBins(totals)
  if (bins.length === 0) return null
  const bars = bins.map(({ label, confirmed, failed }) => ({ label, values: [confirmed, failed] }))
  return html`<section><h2>Time to resolution</h2><small>Cases by the time from opening to the final outcome</small>
${barChart('Time to resolution', OUTCOMES.slice(0, 2), bars)}</section>`
}

function reasons(totals: Totals): Html {
  const shares = REASONS.map((reason) => ({
    label: REASON_WORDS[reason],
    colour: REASON_COLOURS[reason],
    value: totals.reasons[reason],
  })).filter(({ value }) => value > 0)
  const refused = REFUSALS.filter((refusal) => totals.refused[refusal] > 0)
  return html`<section><h2>Reasons</h2><small>How each case came to where it stands</small>${shareChart(shares)}
<p class="faint"><small>${grouped(totals.accepted)} events accepted${refused.map(
    (refusal) => `; ${grouped(totals.refused[refusal])} refused: ${REFUSAL_WORDS[refusal]}`,
  )}.</small></p></section>`
}

function types({ contract }: Totals, counted: BacktestResult['backtest']['reading']['types']): Html {
  const named = decisiveEventTypes(contract)
  const unnamed = counted.except(new Set(named))
  const absent = named.filter((type) => !counted.has(type))
  const more = unnamed.length - MAX_TYPES
  return html`<section><h2>Event types that the condition does not name</h2>
${unnamed.length === 0 ? html`<p class="faint">None.</p>` : null}
<table>${unnamed
    .slice(0, MAX_TYPES)
    .map(
      ({ type, count }) => html`<tr><td>${type}</td><td class="number">${grouped(count)}</td></tr>`,
    )}</table>
${more > 0 ? html`<p class="faint">and ${grouped(more)} more</p>` : null}
${absent.length > 0 ? html`<h3>Named, but never in the log</h3><p>${absent.join(', ')}</p>` : null}</section>`
}

function losers({ nearestLosers }: Totals): Html | null {
  if (nearestLosers.length === 0) return null
  return html`<section><h2>Lost by the least</h2>
<p class="faint">Failed cases for which the fewest parts of the condition would have had to change; then those
whose deciding event came soonest after the activity window.</p>
<div class="scroll"><table><tr><th>Case</th><th>What was missing</th><th>By how much</th></tr>
${nearestLosers.map(
  (loser) =>
    html`<tr><td class="id">${loser.id}</td><td class="words">${missingWords(loser)}</td><td class="by">${marginWords(loser)}</td></tr>`,
)}</table></div></section>`
}
