import { basename } from 'node:path'
import type { Comparison } from '../comparison.ts'
import { decimalText } from '../decimal.ts'
import type { Totals } from '../totals.ts'
import { duration, grouped, moreOrLess, share, signed } from './figures.ts'
import { type Html, html } from './html.ts'

/** Two contracts side by side, and the cases between them. */
export function comparisonSection(comparison: Comparison, totals: Totals[], files: string[]): Html {
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
