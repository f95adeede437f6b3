import { grouped } from './figures.ts'
import { type Html, html } from './html.ts'

/** One colour of a stacked bar chart. */
export interface Series {
  name: string
  /** The class that colours it. */
  colour: 'confirmed' | 'failed' | 'pending' | 'open'
}

export interface Bar {
  label: string
  /** One a series, from the bottom up. */
  values: number[]
}

const HEIGHT = 100
/** Of a bar's place; the rest is the gap. */
const BAR_WIDTH = 0.82

/** Stacked bars that stretch to the page's width; the labels are text outside of the drawing, so none is squeezed. */
export function barChart(title: string, series: Series[], bars: Bar[]): Html {
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

export interface Share {
  label: string
  colour: Series['colour']
  value: number
}

/** Bars that lie, each with its label and its number. */
export function shareChart(shares: Share[]): Html {
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
