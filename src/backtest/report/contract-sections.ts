import { basename } from 'node:path'
import { decisiveEventTypes } from '../../core/contracts/contract.ts'
import { contractInWords } from '../../core/contracts/contract-in-words.ts'
import { decimalText } from '../../kernel/decimal.ts'
import { REFUSALS } from '../backtest.ts'
import { toPeriods } from '../cases/periods.ts'
import { MAX_TYPES_ON_PAGE } from '../limits.ts'
import type { BacktestResult } from '../run-backtest.ts'
import { REASONS, type Reason, type Totals } from '../totals.ts'
import {
  duration,
  grouped,
  marginWords,
  missingWords,
  REASON_WORDS,
  REFUSAL_WORDS,
  share,
} from './figures.ts'
import { type Html, html } from './html.ts'

const OUTCOMES: Series[] = [
  { name: 'Confirmed', colour: 'confirmed' },
  { name: 'Failed', colour: 'failed' },
  { name: 'Pending', colour: 'pending' },
  { name: 'Open', colour: 'open' },
]
const REASON_COLOURS: Record<Reason, Series['colour']> = {
  condition_satisfied: 'confirmed',
  window_elapsed_confirm: 'confirmed',
  reversed_in_review: 'failed',
  window_elapsed_events_late: 'failed',
  window_elapsed_events_missing: 'failed',
  still_pending: 'pending',
  still_open: 'open',
}

/** The section of one contract. */
export function contractSections(
  totals: Totals,
  { files, backtest, calendar }: BacktestResult,
  place: number,
): Html {
  const name = basename(files[place] ?? '')
  return html`<section><h2>${files.length > 1 ? name : 'The contract'}</h2>
<p>${contractInWords(totals.contract, undefined, calendar?.name).join(' ')}</p>
<details><summary>As JSON</summary><pre>${JSON.stringify(totals.contract, null, 2)}</pre></details>
${tiles(totals)}</section>
<div class="two">${overTime(totals)}${timeToResolution(totals)}${reasons(totals)}${types(totals, backtest.reading.types)}</div>
${losers(totals)}`
}

function tiles(totals: Totals): Html {
  const { count, cases } = totals
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
${totals.contract.review ? reviewTile(totals) : null}
${totals.contract.clock?.pause_on ? tile('open', 'Clock stopped', grouped(totals.paused), `${grouped(totals.stillPaused)} still at the end`) : null}
${count.PENDING > 0 ? tile('pending', 'Still PENDING', grouped(count.PENDING), `${price('PENDING')} at stake`) : null}
${count.OPEN > 0 ? tile('open', 'Still OPEN', grouped(count.OPEN), `${price('OPEN')} at stake`) : null}
</div>`
}

const tile = (colour: string, title: string, figure: string, note: string) =>
  html`<div class="tile ${colour}"><small>${title}</small><b>${figure}</b><small>${note}</small></div>`

function reviewTile({ reversed, restarted, reversedPriceSum }: Totals): Html {
  const price = `${grouped(decimalText(reversedPriceSum))} not paid`
  const restarts = restarted > 0 ? [`${grouped(restarted)} restarted`] : []
  return tile('failed', 'Reversed in review', grouped(reversed), [price, ...restarts].join(', '))
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
<p class="faint"><small>${grouped(totals.accepted)} events accepted${totals.acceptedLate > 0 ? `, ${grouped(totals.acceptedLate)} of them late` : ''}${totals.repeated > 0 ? `; ${grouped(totals.repeated)} repeated` : ''}${refused.map(
    (refusal) => `; ${grouped(totals.refused[refusal])} refused: ${REFUSAL_WORDS[refusal]}`,
  )}.</small></p></section>`
}

function types({ contract }: Totals, counted: BacktestResult['backtest']['reading']['types']): Html {
  const named = decisiveEventTypes(contract)
  const unnamed = counted.except(new Set(named))
  const absent = named.filter((type) => !counted.has(type))
  const more = unnamed.length - MAX_TYPES_ON_PAGE
  return html`<section><h2>Event types that the condition does not name</h2>
${unnamed.length === 0 ? html`<p class="faint">None.</p>` : null}
<table>${unnamed
    .slice(0, MAX_TYPES_ON_PAGE)
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

const SECOND = 1000
const [MINUTE, HOUR, DAY] = [60 * SECOND, 3600 * SECOND, 86_400 * SECOND]

/** Widths that people count in. */
const WIDTHS = [
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].map((count) => count * DAY),
]
const BINS = 24
/** Durations beyond this share go into one last bin: a few outliers would squeeze all others to the left. */
const SHARE_SHOWN = 0.99

interface Bin {
  label: string
  confirmed: number
  failed: number
}

/** How many cases took how long; bins of one width, the last one open if a few took much longer. */
function resolutionBins({ resolution }: Totals): Bin[] {
  const lists = [resolution.CONFIRMED.sorted, resolution.FAILED.sorted] as const
  const longest = Math.max(lists[0].at(-1) ?? 0, lists[1].at(-1) ?? 0)
  const shown = Math.max(...lists.map((sorted) => sorted[Math.floor((sorted.length - 1) * SHARE_SHOWN)] ?? 0))
  if (lists[0].length + lists[1].length === 0) return []
  const width = WIDTHS.find((candidate) => shown / candidate < BINS) ?? (WIDTHS.at(-1) as number)
  const count = Math.floor(shown / width) + 1
  const isCut = longest >= count * width
  const bins = Array.from({ length: count + (isCut ? 1 : 0) }, (_, i) => ({
    label:
      i === count
        ? `${duration(i * width)} or longer`
        : `${duration(i * width)} to ${duration((i + 1) * width)}`,
    confirmed: 0,
    failed: 0,
  }))
  const binOf = (time: number) => bins[Math.min(Math.floor(time / width), bins.length - 1)] as Bin
  for (const time of lists[0]) binOf(time).confirmed++
  for (const time of lists[1]) binOf(time).failed++
  return bins
}

/** One colour of a stacked bar chart. */
interface Series {
  name: string
  /** The class that colours it. */
  colour: 'confirmed' | 'failed' | 'pending' | 'open'
}

interface Bar {
  label: string
  /** One a series, from the bottom up. */
  values: number[]
}

const HEIGHT = 100
/** Of a bar's place; the rest is the gap. */
const BAR_WIDTH = 0.82

/** Stacked bars that stretch to the page's width; the labels are text outside of the drawing, so none is squeezed. */
function barChart(title: string, series: Series[], bars: Bar[]): Html {
  const shown = series.filter((_, i) => bars.some(({ values }) => values[i] !== 0))
  const top = niceTop(Math.max(...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0))))
  return html`<figure>
<div class="chart"><div class="scale"><span>${grouped(top)}</span><span>${top % 2 === 0 ? grouped(top / 2) : ''}</span><span>0</span></div>
<svg role="img" aria-label="${title}" viewBox="0 0 ${bars.length} ${HEIGHT}" preserveAspectRatio="none">
${[0, 0.5, 1].map((at) => html`<line class="grid" x1="0" x2="${bars.length}" y1="${HEIGHT * at}" y2="${HEIGHT * at}"/>`)}
${bars.map((bar, i) => barShape(bar, i, series, top))}
</svg>
<div class="ticks">${ticks(bars).map((label) => html`<span>${label}</span>`)}</div></div>
<figcaption>${shown.map(({ name, colour }) => html`<span class="key"><i class="${colour}"></i>${name}</span>`)}</figcaption>
</figure>`
}

function barShape({ label, values }: Bar, place: number, series: Series[], top: number): Html {
  let below = 0
  const parts = values.map((value, i) => {
    const height = (value / top) * HEIGHT
    below += height
    if (value === 0) return ''
    const x = place + (1 - BAR_WIDTH) / 2
    return html`<rect class="${(series[i] as Series).colour}" x="${fixed(x)}" y="${fixed(HEIGHT - below)}" width="${BAR_WIDTH}" height="${fixed(height)}"/>`
  })
  const valueLines = values
    .map((value, i) => `${(series[i] as Series).name} ${grouped(value)}`)
    .filter((_, i) => values[i] !== 0)
  return html`<g><title>${[label, ...valueLines].join('\n')}</title><rect class="hover" x="${place}" y="0" width="1" height="${HEIGHT}"/>${parts}</g>`
}

const fixed = (number: number) => Number(number.toFixed(3))

/** The first, the middle and the last. */
function ticks(bars: Bar[]): string[] {
  const places =
    bars.length < 3 ? bars.keys().toArray() : [0, Math.floor((bars.length - 1) / 2), bars.length - 1]
  return places.map((place) => (bars[place] as Bar).label)
}

/** The next round number above. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  const steps = power === 1 ? [1, 2, 4, 6, 8, 10] : [1, 1.4, 2, 3, 4, 5, 6, 8, 10]
  return Math.round((steps.find((step) => step * power >= most) as number) * power)
}

interface Share {
  label: string
  colour: Series['colour']
  value: number
}

/** Bars that lie, each with its label and its number. */
function shareChart(shares: Share[]): Html {
  const all = Math.max(
    1,
    shares.reduce((sum, { value }) => sum + value, 0),
  )
  return html`<div class="shares">${shares.map(
    ({ label, colour, value }) => html`
<div class="label">${label}</div><div class="number">${grouped(value)} <small>${((100 * value) / all).toFixed(1)} %</small></div>
<svg viewBox="0 0 ${all} 1" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="${all}" height="1"/><rect class="${colour}" width="${value}" height="1"/></svg>`,
  )}</div>`
}
