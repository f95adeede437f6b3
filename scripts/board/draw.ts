import type { Browser } from 'playwright-core'
import type { Panel } from '../../tests/support/grafana-board.ts'
import { amount } from './units.ts'

interface Line {
  name: string
  points: [at: number, value: number][]
}
export interface Drawn {
  panel: Panel
  lines: Line[]
}
interface Range {
  from: number
  to: number
}

const WIDTH = 1_920
const GRID = WIDTH / 24
const ROW = 34
const GAP = 8
const COLOURS = [
  '#73bf69',
  '#f2cc0c',
  '#5794f2',
  '#ff9830',
  '#f2495c',
  '#b877d9',
  '#37872d',
  '#e0b400',
  '#8ab8ff',
  '#fa6400',
]
const NAMED: Record<string, string> = { green: '#73bf69', orange: '#ff9830', red: '#f2495c' }

/**
 * Draws the panels where the board has them, with their titles, units and legends. Not by Grafana, whose pictures differ in
 * their details.
 */
export async function drawBoard(
  browser: Browser,
  title: string,
  drawn: readonly Drawn[],
  range: Range,
  file: string,
): Promise<void> {
  const height = Math.max(...drawn.map(({ panel: { gridPos } }) => gridPos.y + gridPos.h)) * ROW
  const style = `
    body { margin: 0; background: #111217; color: #ccccdc; font: 12px Inter, 'DejaVu Sans', sans-serif; width: ${WIDTH}px }
    h1 { font-size: 17px; margin: 0; padding: 14px 12px 8px; font-weight: 500 } h1 small { color: #8e8ea0; font-size: 12px; margin-left: 12px }
    main { position: relative; height: ${height + 2 * GAP}px }
    .panel { position: absolute; box-sizing: border-box; background: #181b1f; border: 1px solid #25272d; border-radius: 3px; overflow: hidden }
    .row { position: absolute; font-size: 14px; font-weight: 500; padding: 9px 12px; box-sizing: border-box }
    h2 { font-size: 13px; font-weight: 500; margin: 0; padding: 7px 10px 2px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
    .stat { text-align: center; padding-top: 18px; font-size: 34px } .stat small { display: block; font-size: 13px; color: #ccccdc; padding-top: 4px }
    svg { display: block } svg text { fill: #8e8ea0; font: 11px 'DejaVu Sans', sans-serif }
    .legend { padding: 0 10px; line-height: 17px; font-size: 11px; height: 34px; overflow: hidden }
    .legend span { margin-right: 12px; white-space: nowrap } .legend i { display: inline-block; width: 12px; height: 3px; vertical-align: middle; margin-right: 5px }`
  const time = (at: number) => `${new Date(at * 1_000).toISOString().slice(11, 16)} UTC`
  const body = `<h1>${title}<small>${time(range.from)} to ${time(range.to)}, drawn from the queries of the board</small></h1>
    <main>${drawn.map((one) => panelHtml(one, range)).join('')}</main>`
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } })
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${style}</style>${body}`)
  await page.screenshot({ path: file, fullPage: true })
  await page.close()
}

function panelHtml({ panel, lines }: Drawn, range: Range): string {
  const { x, y, w, h } = panel.gridPos
  const [width, height] = [w * GRID - GAP, h * ROW - GAP]
  const place = `left:${x * GRID + GAP / 2}px;top:${y * ROW}px;width:${width}px;height:${height}px`
  if (panel.type === 'row') return `<div class="row" style="${place}">▾ ${escaped(panel.title)}</div>`
  const inner =
    panel.type === 'stat' ? statHtml(panel, lines) : graphHtml(panel, lines, { width, height }, range)
  return `<div class="panel" style="${place}"><h2>${escaped(panel.title)}</h2>${inner}</div>`
}

function statHtml({ fieldConfig, options }: Panel, lines: readonly Line[]): string {
  const { unit = 'short', decimals, mappings, thresholds } = fieldConfig?.defaults ?? {}
  const shown = lines.flatMap(({ name, points }) => {
    const [, value = Number.NaN] = points.findLast(([, one]) => Number.isFinite(one)) ?? []
    const colour = thresholds?.steps.findLast((step) => step.value === null || value >= step.value)?.color
    const text = mappings?.[0]?.options[`${value}`]?.text ?? amount(value, unit, decimals)
    const label = options?.textMode === 'value_and_name' ? `<small>${escaped(name)}</small>` : ''
    return `<div style="color:${NAMED[colour ?? ''] ?? '#ccccdc'}">${text}${label}</div>`
  })
  return `<div class="stat">${shown.join('') || 'No data'}</div>`
}

function graphHtml(
  { fieldConfig }: Panel,
  lines: readonly Line[],
  { width, height }: { width: number; height: number },
  { from, to }: Range,
): string {
  const { unit = 'short', thresholds, custom } = fieldConfig?.defaults ?? {}
  const isStacked = custom?.stacking.mode === 'normal'
  const stacked = isStacked
    ? stack(lines)
    : lines.map((line) => ({ ...line, floor: line.points.map(() => 0) }))
  const values = stacked.flatMap(({ points }) => points.map(([, value]) => value)).filter(Number.isFinite)
  const marks = scale(Math.max(0, ...values), unit)
  const top = marks.at(-1) as number
  const box = { left: 62, right: width - 12, top: 8, bottom: height - 92 }
  const x = (at: number) => box.left + ((at - from) / (to - from)) * (box.right - box.left)
  const y = (value: number) => box.bottom - (value / top) * (box.bottom - box.top)
  const grid = marks.map((mark) => {
    const at = y(mark).toFixed(1)
    return `<line x1="${box.left}" x2="${box.right}" y1="${at}" y2="${at}" stroke="#25272d"/>
      <text x="${box.left - 6}" y="${Number(at) + 4}" text-anchor="end">${amount(mark, unit)}</text>`
  })
  const ticks = [0, 1, 2, 3, 4].map((n) => {
    const at = from + ((to - from) * (n + 0.5)) / 5
    const clock = new Date(at * 1_000).toISOString().slice(11, 19)
    return `<text x="${x(at)}" y="${box.bottom + 18}" text-anchor="middle">${clock}</text>`
  })
  const limits = (thresholds?.steps ?? []).flatMap(({ value, color }) =>
    value !== null && value <= top
      ? `<line x1="${box.left}" x2="${box.right}" y1="${y(value)}" y2="${y(value)}" stroke="${NAMED[color]}" stroke-dasharray="6 4"/>`
      : [],
  )
  const drawn = stacked.map(({ points, floor }, n) => {
    const colour = COLOURS[n % COLOURS.length]
    const runs = runsOf(
      points.map(([at, value], i) => ({ at: x(at), top: y(value), floor: y(floor[i] ?? 0) })),
    )
    return runs.map((run) => {
      const line = run.map((one) => `${one.at.toFixed(1)},${one.top.toFixed(1)}`).join(' ')
      const back = run
        .toReversed()
        .map((one) => `${one.at.toFixed(1)},${one.floor.toFixed(1)}`)
        .join(' ')
      const area = `<polygon points="${line} ${back}" fill="${colour}" fill-opacity="${isStacked ? 0.3 : 0.07}"/>`
      return `${area}<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="1.4"/>`
    })
  })
  const legend = lines.map(
    ({ name }, n) => `<span><i style="background:${COLOURS[n % COLOURS.length]}"></i>${escaped(name)}</span>`,
  )
  return `<svg width="${width}" height="${box.bottom + 26}">${[...grid, ...ticks, ...limits, ...drawn.flat()].join('')}
    ${values.length === 0 ? `<text x="${width / 2}" y="${box.bottom / 2}" text-anchor="middle">No data</text>` : ''}</svg>
    <div class="legend">${legend.join('')}</div>`
}

/** Each upon those before it, where they have points at the same time. */
function stack(lines: readonly Line[]): (Line & { floor: number[] })[] {
  const heights = new Map<number, number>()
  return lines.map(({ name, points }) => {
    const floor = points.map(([at]) => heights.get(at) ?? 0)
    for (const [at, value] of points)
      if (Number.isFinite(value)) heights.set(at, (heights.get(at) ?? 0) + value)
    return { name, floor, points: points.map(([at, value], i) => [at, value + (floor[i] ?? 0)]) }
  })
}

/** A line has a gap where there is no answer. */
function runsOf<T extends { top: number }>(points: readonly T[]): T[][] {
  const runs: T[][] = [[]]
  for (const point of points) {
    if (Number.isFinite(point.top)) runs.at(-1)?.push(point)
    else runs.push([])
  }
  return runs.filter((run) => run.length > 0)
}

/** Where the scale has its lines: about four of them, at round numbers, and the first one above all values. */
function scale(most: number, unit: string): number[] {
  if (most <= 0) return [0, 1]
  const base = unit === 'bytes' ? 2 : 10
  const parts = unit === 'bytes' ? [1] : [1, 2, 2.5, 5, 10]
  const power = base ** Math.floor(Math.log(most / 4) / Math.log(base))
  const step = (parts.find((part) => part * power * 4 >= most) ?? base) * power
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, n) => n * step)
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
