import { OperatorError } from '../kernel/operator-error.ts'
import type { Contents, Sequence } from './snapshot-store.ts'

/*
 * A backup is one uncompressed line, which describes the content, followed by SQL that is compressed by Zstandard. For each table:
 *
 *   COPY users (id, email, …) FROM stdin;
 *   … its rows
 *   \.
 *   -- {"table":"users","rows":2,"sha256":"…"}
 *
 * Then come the sequences, `SELECT setval('…', 12, true);`, and the last line, `-- {"tables":17,"rows":1234,"sha256":"…"}`. Its
 * hash covers everything before it, including the first line. A file without it is incomplete. The rows can be read without
 * Claimkeeper: `tail -n +2 FILE | zstd -dc`.
 */

const MAGIC = 'claimkeeper-backup '
const FORMAT = 1

export interface Header extends Contents {
  /** Version of Claimkeeper that wrote the backup. */
  claimkeeper: string
}

/** The line after a table's rows. */
export interface TableEnd {
  table: string
  rows: number
  sha256: string
}

/** The last line. */
export interface BackupEnd {
  tables: number
  rows: number
  sha256: string
}

export const damaged = (reason: string): OperatorError =>
  new OperatorError(`The backup is damaged, and nothing was restored: ${reason}.`)

export const headerLine = (header: Header): string =>
  `${MAGIC}${JSON.stringify({ format: FORMAT, ...header })}\n`

/** @throws OperatorError */
export function readHeader(line: string): Header {
  if (!line.startsWith(MAGIC)) throw new OperatorError('The file is not a backup of Claimkeeper.')
  const { format, ...header } = parse<Header & { format: number }>(line.slice(MAGIC.length), 'its first line')
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

export const commentLine = (comment: TableEnd | BackupEnd): string => `-- ${JSON.stringify(comment)}\n`

export const sequenceLine = ({ name, last, isCalled }: Sequence): string =>
  `SELECT setval('${name}', ${last}, ${isCalled});\n`

/** A line that is not a row. */
type Line =
  | { kind: 'table'; table: string; columns: string[] }
  | { kind: 'sequence'; sequence: Sequence }
  | { kind: 'end'; end: BackupEnd }

const COPY = /^COPY ([a-z_][a-z0-9_]*) \(([a-z_][a-z0-9_]*(?:, [a-z_][a-z0-9_]*)*)\) FROM stdin;$/
const SETVAL = /^SELECT setval\('([a-z0-9_]+)', (-?\d+), (true|false)\);$/
const COMMENT = /^-- (\{.*\})$/

/** @throws OperatorError */
export function readLine(line: string): Line {
  const [, table, columns] = COPY.exec(line) ?? []
  if (table !== undefined && columns !== undefined)
    return { kind: 'table', table, columns: columns.split(', ') }
  const [, name, last, isCalled] = SETVAL.exec(line) ?? []
  if (name !== undefined && last !== undefined) {
    return { kind: 'sequence', sequence: { name, last, isCalled: isCalled === 'true' } }
  }
  return { kind: 'end', end: readComment<BackupEnd>(line) }
}

/** @throws OperatorError */
export function readComment<Comment>(line: string): Comment {
  const [, json] = COMMENT.exec(line) ?? []
  if (json === undefined) throw damaged('it contains an unknown line')
  return parse<Comment>(json, 'one of its lines')
}

function parse<T>(json: string, where: string): T {
  try {
    return JSON.parse(json)
  } catch {
    throw damaged(`${where} cannot be read`)
  }
}

export const formatRowCount = (table: string, rows: number): string =>
  `${table}: ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`
