import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import type { Row } from './part.ts'

const LATEST = fileURLToPath(new URL('results/latest.json', import.meta.url))

const MAX_TITLE_LENGTH = 120

export interface PartResult {
  name: string
  seconds: number
  /** Null if the part succeeded. */
  error: string | null
  figures: Record<string, number | null>
  rows: Row[]
  texts: string[]
}

/** The figures of all parts in one flat object, with the peak memory of the servers over all parts. */
export function flatFigures(parts: readonly PartResult[]): Record<string, number | null> {
  const figures: Record<string, number | null> = {}
  for (const part of parts) Object.assign(figures, part.figures)
  const peaks = Object.entries(figures).filter(([key, value]) => key.endsWith('_rss_mb') && value !== null)
  const peak = peaks.length === 0 ? null : Math.max(...peaks.map(([, value]) => Number(value)))
  return { ...figures, server_rss_mb: peak }
}

export async function writeJson(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`)
}

/** Returns the path of the file, relative to the working directory. */
export async function writeLatest(content: unknown): Promise<string> {
  await writeJson(LATEST, content)
  return relative('', LATEST)
}

export function measurementsTable(parts: readonly PartResult[]): string {
  const table = new Table({
    head: [
      'measured',
      'a second',
      'ratio',
      'p50 ms',
      'p99 ms',
      'p99.9 ms',
      'client',
      'server',
      'database',
      '',
    ],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'left'],
  })
  for (const { name, rows, error } of parts) {
    const title = error === null ? name : `${name}: FAILED: ${error}`.slice(0, MAX_TITLE_LENGTH)
    table.push([{ content: title, colSpan: 10 }])
    for (const row of rows) table.push(cellsOf(row))
  }
  return table.toString()
}

function cellsOf(row: Row): string[] {
  return [
    `  ${row.what}`,
    row.perSecond === undefined ? '' : Math.round(row.perSecond).toLocaleString('en'),
    row.ratio?.toFixed(2) ?? '',
    milliseconds(row.p50),
    milliseconds(row.p99),
    milliseconds(row.p999),
    share(row.clientCpu),
    share(row.serverCpu),
    share(row.databaseCpu),
    row.note ?? '',
  ]
}

const milliseconds = (value: number | undefined) => value?.toFixed(value < 10 ? 2 : 1) ?? ''

const share = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : `${Math.round(value * 100)} %`

export function figuresTable(figures: Record<string, number | null>): string {
  const table = new Table({
    head: ['figure', 'value'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right'],
  })
  for (const [key, value] of Object.entries(figures))
    table.push([key, value === null ? 'not available' : `${value}`])
  return table.toString()
}
