import { basename } from 'node:path'
import type { BacktestResult } from './backtest-result.ts'
import { grouped } from './figures.ts'
import { type Html, html } from './html.ts'
import { comparisonSection } from './report-comparison.ts'
import { contractSections } from './report-contract.ts'
import { REPORT_STYLE } from './report-style.ts'

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
    until === null ? 'Every case ran until it was resolved.' : `Stopped at ${new Date(until).toISOString()}.`
  return html`<p class="faint">What ${files.map((file) => basename(file)).join(' and ')} would have paid:
${grouped(reading.events)} events of ${grouped(totals[0]?.cases ?? 0)} cases${span}. ${stop}</p>`
}

function badRowsSection({ backtest }: BacktestResult): Html | null {
  const { badRows, warnings } = backtest.reading
  const notes = [
    ...warnings,
    ...(backtest.casesAfterUntil > 0
      ? [`${grouped(backtest.casesAfterUntil)} cases open after the end of the run: not counted`]
      : []),
    ...(backtest.eventsAfterUntil > 0
      ? [`${grouped(backtest.eventsAfterUntil)} events come after the end of the run: not looked at`]
      : []),
  ]
  if (badRows.count === 0 && notes.length === 0) return null
  return html`<section><h2>${badRows.count > 0 ? `${grouped(badRows.count)} bad rows left out` : 'Notes'}</h2>
${badRows.count > 0 ? badRowsTable(badRows.byReason, badRows.first, badRows.count) : null}
${notes.length > 0 ? html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>` : null}
</section>`
}

type BadRows = BacktestResult['backtest']['reading']['badRows']

function badRowsTable(byReason: BadRows['byReason'], first: BadRows['first'], count: number): Html {
  const reasons = [...byReason].map(([reason, times]) => `${grouped(times)} ${reason}`).join(', ')
  return html`<p class="faint">${reasons}.${count > first.length ? ` The first ${first.length}:` : ''}</p>
<div class="scroll"><table><tr><th class="number">Line</th><th>What is wrong</th></tr>
${first.map(({ line, detail }) => html`<tr><td class="number">${grouped(line)}</td><td>${detail}</td></tr>`)}
</table></div>`
}
