import { OperatorError } from '../../kernel/operator-error.ts'
import { listFirst } from '../../kernel/text.ts'
import { similarityKey } from '../field-statistics.ts'
import { MAX_NAMES_SHOWN, MAX_TEXT_LENGTH, SAMPLED_ROWS } from '../limits.ts'
import type { ColumnNames } from '../log/log-row.ts'

/** The CSV dialect of a log. */
export interface CsvDialect {
  /** Longest first. */
  separators: string[]
  lineEnds: string[]
  /** Whether the first line is Excel's `sep=;`. */
  hasSeparatorLine: boolean
  /** The column names. */
  header: string[]
  notes: string[]
}

const SEPARATORS = [',', ';', '\t', '|']
const SEPARATOR_LINE = /^"?sep=(.)"?(?:\r\n|\r|\n)/i

/**
 * Detects the dialect from the start of the log. Takes the first separator whose header has the columns that the
 * options name.
 * @throws OperatorError that lists the columns if no separator fits
 */
export function recognizeDialect(head: string, given: string | null, names: ColumnNames): CsvDialect {
  const line = SEPARATOR_LINE.exec(head)
  const text = line === null ? head : head.slice(line[0].length)
  const lineEnds = lineEndsOf(head)
  const separator = separatorOf(text, given ?? line?.[1] ?? null, names)
  const isSpaced = given === null && separator.trim() !== '' && hasSpaceAfter(separator, text)
  return {
    separators: isSpaced ? withSpace(separator) : [separator],
    lineEnds,
    hasSeparatorLine: line !== null,
    header: headerOf(text, separator),
    notes: isSpaced
      ? [`a space follows each ${JSON.stringify(separator)} and is read as part of the separator`]
      : [],
  }
}

/** Used only if the log needs all of them: each slows the parser. */
export const ALL_LINE_ENDS = ['\r\n', '\n', '\r']

function lineEndsOf(head: string): string[] {
  return head.includes('\n') && !head.includes('\r') ? ['\n'] : ALL_LINE_ENDS
}

function separatorOf(text: string, given: string | null, names: ColumnNames): string {
  const candidates = given === null ? SEPARATORS : [given]
  const found = candidates.find((separator) => missingColumn(headerOf(text, separator), names) === null)
  if (found !== undefined) return found
  const best = candidates.reduce((most, separator) =>
    headerOf(text, separator).length > headerOf(text, most).length ? separator : most,
  )
  throw noSuchColumn(text, best, given, names)
}

const withSpace = (separator: string) => [`${separator} `, separator]

/** The names are trimmed. */
function headerOf(text: string, separator: string): string[] {
  return (headRows(text, withSpace(separator), 1)[0] ?? []).map((name) => name.trim())
}

const OPTIONS: [keyof ColumnNames, string][] = [
  ['case', '--case'],
  ['type', '--type'],
  ['time', '--time'],
  ['openedAt', '--opened-at'],
  ['eventId', '--event-id'],
]

function missingColumn(header: string[], names: ColumnNames): { option: string; name: string } | null {
  for (const [key, option] of OPTIONS) {
    const name = names[key]?.trim()
    if (name !== undefined && !header.includes(name)) return { option, name }
  }
  return null
}

function noSuchColumn(
  text: string,
  separator: string,
  given: string | null,
  names: ColumnNames,
): OperatorError {
  const header = headerOf(text, separator)
  const { option, name } = missingColumn(header, names) as { option: string; name: string }
  const similar = header.find((other) => similarityKey(other) === similarityKey(name))
  const suggestion = similar === undefined ? '' : `; did you mean ${JSON.stringify(similar)}?`
  const fitting = SEPARATORS.find((candidate) => missingColumn(headerOf(text, candidate), names) === null)
  const proposal =
    given !== null && fitting !== undefined
      ? `; with the separator ${JSON.stringify(fitting)} it has the column: --separator ${fitting === '\t' ? 'tab' : `'${fitting}'`}`
      : suggestion
  return new OperatorError(
    `the log has no column "${name}" (${option}); with the separator ${JSON.stringify(separator)} it has: ${shownNames(header)}${proposal}`,
  )
}

/** Names are shortened, because the only name of a file that is not CSV may be the whole file. */
export function shownNames(names: readonly string[]): string {
  const shortened = names.map((name) =>
    name.length > MAX_TEXT_LENGTH ? `${name.slice(0, MAX_TEXT_LENGTH)}…` : name,
  )
  return listFirst(shortened, MAX_NAMES_SHOWN)
}

/** Whether each cell but the first begins with a space, as in `a, b, c`. The space is then part of the separator. */
function hasSpaceAfter(separator: string, text: string): boolean {
  const [, ...rows] = headRows(text, [separator], SAMPLED_ROWS + 1)
  return (
    rows.length > 0 &&
    rows.every((row) => row.slice(1).every((cell) => cell.startsWith(' ')) && row.length > 1)
  )
}

/**
 * The first rows of CSV, to detect its dialect. Does not use csv-parse: with two csv-parse parsers in the process, V8
 * optimizes less, and reading the log takes 10 % longer.
 */
function headRows(text: string, separators: readonly string[], count: number): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length && rows.length < count; ) {
    const cell = text[at] === '"' ? quotedCell(text, at, separators) : plainCell(text, at, separators)
    row.push(cell.text)
    const separator = separators.find((candidate) => text.startsWith(candidate, cell.end))
    at = cell.end + (separator?.length ?? lineEndLength(text, cell.end))
    if (separator !== undefined) continue
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  return rows
}

interface Cell {
  text: string
  end: number
}

const QUOTED = /"((?:[^"]|"")*)"?/y

/** Text after the closing quote is part of the cell. */
function quotedCell(text: string, start: number, separators: readonly string[]): Cell {
  QUOTED.lastIndex = start
  const [whole = '', inside = ''] = QUOTED.exec(text) ?? []
  const rest = plainCell(text, start + whole.length, separators)
  return { text: inside.replaceAll('""', '"') + rest.text, end: rest.end }
}

function plainCell(text: string, start: number, separators: readonly string[]): Cell {
  let end = start
  while (
    end < text.length &&
    !isLineEnd(text[end]) &&
    !separators.some((separator) => text.startsWith(separator, end))
  )
    end++
  return { text: text.slice(start, end), end }
}

const isLineEnd = (character: string | undefined) => character === '\n' || character === '\r'

const lineEndLength = (text: string, at: number) => (text.startsWith('\r\n', at) ? 2 : 1)
