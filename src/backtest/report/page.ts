import { basename } from 'node:path'
import type { BacktestResult } from '../backtest-result.ts'
import type { LogReading } from '../log/read-rows.ts'
import { comparisonSection } from './comparison.ts'
import { contractSections } from './contract.ts'
import { grouped } from './figures.ts'
import { type Html, html } from './html.ts'
import { notesOf, reasonsText } from './result-notes.ts'
import { REPORT_STYLE } from './style.ts'

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
