import { basename } from 'node:path'
import { decimalText } from '../../kernel/decimal.ts'
import type { Comparison } from '../comparison.ts'
import type { LogReading } from '../log/read-rows.ts'
import type { BacktestResult } from '../run-backtest.ts'
import type { Totals } from '../totals.ts'
import { contractSections } from './contract-sections.ts'
import { duration, grouped, moreOrLess, share, signed } from './figures.ts'
import { Html, html } from './html.ts'
import { notesOf, reasonsText } from './result-table.ts'

/** The result as one page that needs nothing else: no script, no font, no request. */
export function reportPage(result: BacktestResult): string {
  const { backtest, log } = result
  const title = `Back-test of ${basename(log.file)}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${REPORT_STYLE}</style>
</head>
<body><main>
<h1>${title}</h1>
${introduction(result)}
${backtest.comparison ? comparisonSection(backtest.comparison, backtest.totals, result.files) : null}
${backtest.totals.map((totals, i) => contractSections(totals, result, i))}
${badRowsSection(result)}
</main></body>
</html>
`.text
}

function introduction({ backtest, files, until }: BacktestResult): Html {
  const { reading, totals } = backtest
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  const span =
    reading.firstAt === null || reading.lastAt === null
      ? null
      : html` from <span class="nowrap">${day(reading.firstAt)}</span> to <span class="nowrap">${day(reading.lastAt)}</span>`
  const stop =
    until === null
      ? 'Every case ran until it was resolved.'
      : html`Stopped at <span class="nowrap">${new Date(until).toISOString().replace('.000', '')}</span>.`
  return html`<p class="faint">What ${files.map((file) => basename(file)).join(' and ')} would have paid:
${grouped(totals[0]?.cases ?? 0)} cases in a log of ${grouped(reading.events)} events${span}. ${stop}</p>`
}

function badRowsSection({ backtest }: BacktestResult): Html | null {
  const { count } = backtest.reading.badRows
  const notes = notesOf(backtest)
  if (count === 0 && notes.length === 0) return null
  return html`<section><h2>${count > 0 ? `${grouped(count)} bad rows left out` : 'Notes'}</h2>
${count > 0 ? badRowsTable(backtest.reading) : null}
${notes.length > 0 ? html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>` : null}
</section>`
}

function badRowsTable(reading: LogReading): Html {
  const { count, first } = reading.badRows
  return html`<p class="faint">${reasonsText(reading)}.${count > first.length ? ` The first ${first.length}:` : ''}</p>
<div class="scroll"><table><tr><th class="number">Line</th><th>What is wrong</th></tr>
${first.map(({ line, detail }) => html`<tr><td class="number">${grouped(line)}</td><td>${detail}</td></tr>`)}
</table></div>`
}

/** The page's own style: nothing is loaded from anywhere. */
const REPORT_STYLE = new Html(`
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1b2330; --faint: #5c6675; --line: #dfe3e9;
  --confirmed: #16826b; --failed: #d0572f; --pending: #7a6cc8; --open: #8b95a5; --accent: #2257c4 }
@media (prefers-color-scheme: dark) { :root { --page: #12161d; --card: #1b212b; --text: #e6eaf0; --faint: #9aa5b5;
  --line: #303947; --confirmed: #35b394; --failed: #ee7d52; --pending: #9d90ec; --open: #78839a; --accent: #86aefc } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 0 0 .35rem; overflow-wrap: anywhere }
h3 { font-size: 1rem; margin: 1.25rem 0 .35rem; overflow-wrap: anywhere }
p { margin: 0 0 .75rem; max-width: 46rem; overflow-wrap: anywhere }
.faint, small, figcaption, .scale, .ticks, th { color: var(--faint) }
small { font-size: .82rem }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem; margin-top: 1.25rem }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin-top: 1rem }
.tile { border: 1px solid var(--line); border-left: 4px solid var(--open); border-radius: 8px; padding: .6rem .8rem; min-width: 0 }
.tile b { display: block; font-size: 1.4rem; line-height: 1.25; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.tile.confirmed { border-left-color: var(--confirmed) } .tile.failed { border-left-color: var(--failed) }
.tile.pending { border-left-color: var(--pending) } .tile.all { border-left-color: var(--accent) }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1.25rem }
.two > section { margin-top: 0; min-width: 0 } .two { margin-top: 1.25rem }
figure { margin: .75rem 0 0 }
.chart { display: grid; grid-template: 190px auto / auto 1fr; gap: .4rem .5rem }
.scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: .78rem; line-height: 1; font-variant-numeric: tabular-nums }
.chart svg { width: 100%; height: 100%; overflow: visible }
.ticks { display: flex; justify-content: space-between; gap: .75rem; font-size: .78rem; grid-column: 2 }
.ticks span:last-child { text-align: right } .ticks span:nth-child(2):not(:last-child) { text-align: center }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .85rem; margin-top: .5rem }
.key i { display: inline-block; width: .75rem; height: .75rem; border-radius: 3px; margin-right: .4rem; vertical-align: -1px }
.grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke }
rect.confirmed { fill: var(--confirmed) } rect.failed { fill: var(--failed) } rect.pending { fill: var(--pending) } rect.open { fill: var(--open) }
i.confirmed { background: var(--confirmed) } i.failed { background: var(--failed) } i.pending { background: var(--pending) } i.open { background: var(--open) }
.track { fill: var(--line) } .hover { fill: transparent } g:hover .hover { fill: var(--line); opacity: .6 }
.shares { display: grid; grid-template-columns: 1fr auto; gap: .15rem .75rem; margin-top: .75rem }
.shares svg { grid-column: 1 / -1; width: 100%; height: 10px; border-radius: 5px; margin-bottom: .6rem }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; text-align: right }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
th { font-weight: 500; text-align: left; font-size: .85rem } td, th { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
tr:last-child td { border-bottom: 0 } td.number, th.number { text-align: right } td:last-child, th:last-child { padding-right: 0 }
td.status, th { overflow-wrap: normal } td.status { white-space: nowrap }
td.id { font-weight: 600; min-width: 5rem } td.words { min-width: 9rem } td.by { min-width: 5.5rem }
.nowrap { white-space: nowrap }
details { margin-top: .5rem } summary { cursor: pointer; color: var(--accent) }
pre { overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: 8px; padding: .8rem; font-size: .85rem; line-height: 1.4 }
ul { margin: .25rem 0 0; padding-left: 1.1rem } li { overflow-wrap: anywhere }
@media (max-width: 34rem) { main { padding: 1.5rem .8rem 3rem } section { padding: 1rem .9rem } .chart { grid-template-rows: 160px auto } .tile b { font-size: 1.2rem } .tiles { grid-template-columns: 1fr 1fr }
  table { font-size: .85rem } td, th { padding-right: .5rem } }
@media print { body { background: none } section { break-inside: avoid } }
`)

/** Two contracts side by side, and the cases between them. */
function comparisonSection(comparison: Comparison, totals: Totals[], files: string[]): Html {
  const { changed, unchanged, difference } = comparison
  return html`<section><h2>Side by side</h2>
<p>${grouped(changed)} of ${grouped(changed + unchanged)} cases change. ${basename(files[1] ?? '')} pays
<b>${moreOrLess(decimalText(difference))}</b> ${basename(files[0] ?? '')}.</p>
<div class="scroll"><table><tr><th></th>${files.map((file) => html`<th class="number">${basename(file)}</th>`)}</tr>
${figureRows(totals)}</table></div>
${changed > 0 ? changesTables(comparison) : null}
</section>`
}

function figureRows(totals: Totals[]): Html[] {
  const row = (title: string, figure: (one: Totals) => string) =>
    html`<tr><td>${title}</td>${totals.map((one) => html`<td class="number">${figure(one)}</td>`)}</tr>`
  const counted = (status: 'CONFIRMED' | 'FAILED' | 'PENDING' | 'OPEN') => (one: Totals) =>
    `${grouped(one.count[status])} (${share(one.count[status], one.cases) || '0 %'})`
  const median = (status: 'CONFIRMED' | 'FAILED') => (one: Totals) => {
    const value = one.resolution[status].median
    return value === null ? '–' : duration(value)
  }
  return [
    row('Confirmed', counted('CONFIRMED')),
    row('Failed', counted('FAILED')),
    ...(totals.some(({ count }) => count.OPEN + count.PENDING > 0)
      ? [row('Still OPEN', counted('OPEN')), row('Still PENDING', counted('PENDING'))]
      : []),
    row('Price', (one) => grouped(one.contract.price)),
    row('Paid', (one) => grouped(decimalText(one.priceSum('CONFIRMED')))),
    row('Median time to CONFIRMED', median('CONFIRMED')),
    row('Median time to FAILED', median('FAILED')),
  ]
}

function changesTables({ changes, changedCases, changed }: Comparison): Html {
  const more = changed - changedCases.length
  return html`<h3>Which change</h3>
<div class="scroll"><table><tr><th>From</th><th>To</th><th class="number">Cases</th><th class="number">Paid</th></tr>
${changes.map(
  ({
    from,
    to,
    count,
    difference,
  }) => html`<tr><td class="status">${from}</td><td class="status">${to}</td><td class="number">${grouped(count)}</td>
<td class="number">${signed(decimalText(difference))}</td></tr>`,
)}</table></div>
<details><summary>The ${more > 0 ? `first ${changedCases.length} ` : ''}cases that change</summary>
<div class="scroll"><table><tr><th>Case</th><th>From</th><th>To</th><th class="number">Paid</th></tr>
${changedCases.map(
  ({
    id,
    from,
    to,
    difference,
  }) => html`<tr><td class="id">${id}</td><td class="status">${from}</td><td class="status">${to}</td>
<td class="number">${signed(decimalText(difference))}</td></tr>`,
)}</table></div>${more > 0 ? html`<p class="faint">and ${grouped(more)} more</p>` : null}</details>`
}
