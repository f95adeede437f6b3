import { RESERVED_NAMES } from '../../src/backtest/log/log-row.ts'
import { ReplayFailure } from './failure.ts'

/** The names of the columns that are not payload. */
export interface ColumnNames {
  case: string
  type: string
  time: string
  customer: string
}

export interface Columns {
  case: number
  type: number
  time: number
  customer: number
  /** Every other column, and the time: what becomes the payload, under these names. */
  payload: { index: number; name: string }[]
  warnings: string[]
}

/** Finds the columns in the header of the log. */
export function findColumns(header: string[], names: ColumnNames, separator: string): Columns {
  const find = (option: keyof ColumnNames) => {
    const index = header.indexOf(names[option])
    if (index !== -1) return index
    throw new ReplayFailure(
      `the log has no column "${names[option]}" (--${option}); with the separator "${separator}" it has: ${header.join(', ')}`,
    )
  }
  const found = { case: find('case'), type: find('type'), time: find('time'), customer: find('customer') }
  return { ...found, ...payloadColumns(header, [found.case, found.type, found.customer]) }
}

function payloadColumns(header: string[], others: number[]): Pick<Columns, 'payload' | 'warnings'> {
  const payload: Columns['payload'] = []
  const warnings: string[] = []
  const taken = new Set(header)
  for (const [index, title] of header.entries()) {
    if (others.includes(index)) continue
    if (title === '' || header.indexOf(title) !== index) {
      warnings.push(
        `column ${index + 1} ${title === '' ? 'has no name' : `is a second "${title}"`}: left out`,
      )
      continue
    }
    const name = RESERVED_NAMES.has(title) ? freeName(title, taken) : title
    if (name !== title)
      warnings.push(`column "${title}" is sent as "${name}": the service reserves that name`)
    payload.push({ index, name })
  }
  return { payload, warnings }
}

function freeName(title: string, taken: Set<string>): string {
  let name = `log_${title}`
  while (taken.has(name)) name = `log_${name}`
  taken.add(name)
  return name
}
