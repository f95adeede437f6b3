import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { TimeReader } from '../../src/backtest/time/time-reader.ts'
import { cellValue } from './cell-value.ts'
import { type ColumnNames, type Columns, findColumns } from './columns.ts'
import { ReplayFailure } from './failure.ts'

export interface LogEvent {
  caseName: string
  type: string
  /** Milliseconds since 1970. */
  time: number
  /** Where its row begins in the file; the first line is 1. */
  line: number
  payload: Record<string, string | number>
}

export interface EventLog {
  /** In the order of their times; where those are equal, of the file. */
  events: LogEvent[]
  /** Of each case the customer: the first that its rows name. */
  customers: Map<string, string>
  /** What the person should know about the columns. */
  warnings: string[]
}

/** What the parser makes with `info`; its types tell of the cells alone. */
interface Row {
  info: { lines: number; records: number }
  record: string[]
}

/** Reads the log row by row. @throws ReplayFailure that names the line. */
export async function readLog(path: string, names: ColumnNames, separator: string): Promise<EventLog> {
  const file = await openLog(path)
  const log: EventLog = { events: [], customers: new Map(), warnings: [] }
  try {
    await readRows(file, separator, (header) => findColumns(header, names, separator), log)
  } catch (error) {
    if (error instanceof CsvError || isSystemError(error))
      throw new ReplayFailure(`${path}: ${error.message}`)
    throw error
  }
  if (log.events.length === 0) throw new ReplayFailure(`${path}: the log holds no events`)
  requireCustomers(log)
  // Sorting is stable: events of the same time stay in the order of the file.
  log.events.sort((one, other) => one.time - other.time)
  return log
}

async function openLog(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    throw new ReplayFailure(`the log cannot be read: ${(error as Error).message}`)
  }
}

const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error

type FindColumns = (header: string[]) => Columns

async function readRows(file: FileHandle, separator: string, findIn: FindColumns, log: EventLog) {
  let columns: Columns | undefined
  const parser = parse({
    bom: true,
    delimiter: separator,
    info: true,
    skip_empty_lines: true,
    // A quote within an unquoted cell is a character of the cell.
    relax_quotes: true,
    // Not in the loop below: a wrong separator must be reported before the parser fails at the rows.
    on_record: (row) => {
      columns ??= findIn((row as unknown as Row).record)
      return row
    },
  })
  await pipeline(file.createReadStream(), parser, async (rows: AsyncIterable<Row>) => {
    for await (const row of rows) if (row.info.records > 1) addRow(row, columns as Columns, log)
  })
  log.warnings.push(...(columns?.warnings ?? []))
}

function addRow({ info, record }: Row, columns: Columns, { events, customers }: EventLog): void {
  // The parser counts the line that the row ends on; a quoted cell may span several.
  const line = info.lines - (record.join('').match(/\n/g)?.length ?? 0)
  const event = toEvent(record, columns, line)
  events.push(event)
  if (!customers.get(event.caseName)) customers.set(event.caseName, record[columns.customer] as string)
}

const TIMES = new TimeReader({ format: null, zone: null })

function toEvent(record: string[], columns: Columns, line: number): LogEvent {
  // Every row has as many cells as the header: the parser refuses others.
  const cell = (index: number) => record[index] as string
  const time = TIMES.read(cell(columns.time))
  if (Number.isNaN(time)) throw new ReplayFailure(`line ${line}: ${TIMES.explain(cell(columns.time))}`)
  if (!cell(columns.case)) throw new ReplayFailure(`line ${line}: the row has no case`)
  if (!cell(columns.type)) throw new ReplayFailure(`line ${line}: the row has no event type`)
  const filled = columns.payload.filter(({ index }) => cell(index) !== '')
  const payload = Object.fromEntries(filled.map(({ index, name }) => [name, cellValue(cell(index))]))
  return { caseName: cell(columns.case), type: cell(columns.type), time, line, payload }
}

function requireCustomers({ customers, events }: EventLog): void {
  const nameless = events.find(({ caseName }) => !customers.get(caseName))
  if (!nameless) return
  throw new ReplayFailure(
    `line ${nameless.line}: no row of case "${nameless.caseName}" names a customer (--customer may name any column, that of the cases too)`,
  )
}
