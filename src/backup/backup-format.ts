import { OperatorError } from '../kernel/operator-error.ts'
import type { Contents, Sequence } from './snapshot-store.ts'

/*
 * A backup is one line in the clear, which tells what it holds, and then, compressed by Zstandard, SQL: of each table
 *
 *   COPY users (id, email, …) FROM stdin;
 *   … its rows
 *   \.
 *   -- {"table":"users","rows":2,"sha256":"…"}
 *
 * then the sequences, `SELECT setval('…', 12, true);`, and at the end `-- {"tables":17,"rows":1234,"sha256":"…"}`, whose hash
 * is of all that stands before it, the first line included: a file without it is not whole. So whoever has lost Claimkeeper can
 * still read it: `tail -n +2 FILE | zstd -dc`.
 */

const MARK = 'claimkeeper-backup '
const FORMAT = 1
/** Of a line that is no row. */
export const LONGEST_LINE = 64 * 1024

export interface Header extends Contents {
  /** Version of Claimkeeper that made it. */
  claimkeeper: string
}

/** What stands after a table's rows. */
export interface TableEnd {
  table: string
  rows: number
  sha256: string
}

/** What stands at the end. */
export interface BackupEnd {
  tables: number
  rows: number
  sha256: string
}

export const damaged = (how: string): OperatorError =>
  new OperatorError(`The backup is damaged, and nothing was restored: ${how}.`)

export const headerLine = (header: Header): string =>
  `${MARK}${JSON.stringify({ format: FORMAT, ...header })}\n`

/** @throws OperatorError */
export function readHeader(line: string): Header {
  if (!line.startsWith(MARK)) throw new OperatorError('The file is no backup of Claimkeeper.')
  const { format, ...header } = parse<Header & { format: number }>(line.slice(MARK.length), 'its first line')
  if (format !== FORMAT) {
    throw new OperatorError(
      `The backup has format ${format}, this Claimkeeper reads ${FORMAT}: restore it with a newer version.`,
    )
  }
  const { takenAt, lastEvent, lastNotification } = header
  return {
    ...header,
    takenAt: new Date(takenAt),
    lastEvent: lastEvent && { ...lastEvent, at: new Date(lastEvent.at) },
    lastNotification: lastNotification && { ...lastNotification, at: new Date(lastNotification.at) },
  }
}

export const copyLine = (table: string, columns: readonly string[]): string =>
  `COPY ${table} (${columns.join(', ')}) FROM stdin;\n`

export const END_OF_ROWS = '\\.\n'

export const noteLine = (note: TableEnd | BackupEnd): string => `-- ${JSON.stringify(note)}\n`

export const sequenceLine = ({ name, last, isCalled }: Sequence): string =>
  `SELECT setval('${name}', ${last}, ${isCalled});\n`

/** What a line that is no row begins or says. */
export type Line =
  | { kind: 'table'; table: string; columns: string[] }
  | { kind: 'sequence'; sequence: Sequence }
  | { kind: 'end'; end: BackupEnd }

const COPY = /^COPY ([a-z_][a-z0-9_]*) \(([a-z_][a-z0-9_]*(?:, [a-z_][a-z0-9_]*)*)\) FROM stdin;$/
const SETVAL = /^SELECT setval\('([a-z0-9_]+)', (-?\d+), (true|false)\);$/
const NOTE = /^-- (\{.*\})$/

/** @throws OperatorError */
export function readLine(line: string): Line {
  const [, table, columns] = COPY.exec(line) ?? []
  if (table !== undefined && columns !== undefined)
    return { kind: 'table', table, columns: columns.split(', ') }
  const [, name, last, isCalled] = SETVAL.exec(line) ?? []
  if (name !== undefined && last !== undefined) {
    return { kind: 'sequence', sequence: { name, last, isCalled: isCalled === 'true' } }
  }
  return { kind: 'end', end: readNote<BackupEnd>(line) }
}

/** @throws OperatorError */
export function readNote<Note>(line: string): Note {
  const [, json] = NOTE.exec(line) ?? []
  if (json === undefined) throw damaged('it has a line that no backup has')
  return parse<Note>(json, 'a line of it')
}

function parse<T>(json: string, where: string): T {
  try {
    return JSON.parse(json)
  } catch {
    throw damaged(`${where} cannot be read`)
  }
}

export const rowsInWords = (table: string, rows: number): string =>
  `${table}: ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`
