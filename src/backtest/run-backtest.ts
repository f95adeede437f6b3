import { isUtf8 } from 'node:buffer'
import { buffer } from 'node:stream/consumers'
import type { Options } from 'cli-progress'
import type { Calendar } from '../core/calendars/calendar.ts'
import { validateCalendar } from '../core/calendars/validate-calendar.ts'
import { ELAPSED_TIME, type TimeMeasure, workingTime } from '../core/calendars/working-time.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { validateContract } from '../core/contracts/validate-contract.ts'
import { findLossyNumber } from '../kernel/exact-numbers.ts'
import type { Issue } from '../kernel/issue.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import { findJsonFlaw } from '../kernel/json-flaws.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import { runSync } from '../platform/concurrency/cooperative.ts'
import { inputName, openInput } from '../platform/terminal/input-file.ts'
import { progressBar } from '../platform/terminal/table.ts'
import { type Case, type CaseResult, runCase } from './backtest.ts'
import { calendarZoneNotes, holidayNotes, spanEndNotes } from './calendar-notes.ts'
import { HeldCases } from './cases/held-cases.ts'
import { RowOrder } from './cases/row-order.ts'
import { CaseAppearsAgain, type CaseGrouping, NewestFirst, SortedCases } from './cases/sorted-cases.ts'
import { Comparison } from './comparison.ts'
import { UnexpectedCarriageReturn } from './csv/read-csv.ts'
import { CaseStatistics } from './log/log-statistics.ts'
import { type LogFile, readLog } from './log/open-log.ts'
import { type LogOptions, LogReading } from './log/read-rows.ts'
import { readingNotes } from './log/reading-notes.ts'
import { Totals } from './totals.ts'

export interface BacktestOptions extends LogOptions {
  /** One, or two to be compared. */
  contracts: readonly Contract[]
  /** Used for each calendar that a contract names. */
  calendar?: Calendar | null
  until: number | null
  /** Says how an ambiguous `--until` was read. */
  untilNote?: string | null
  /** The present. Events after it get a note. */
  now: number
  /** Whether the rows of each case are adjacent, as `--sorted` says. */
  isSorted: boolean
}

export interface Backtest {
  reading: LogReading
  totals: Totals[]
  comparison: Comparison | null
  /** About the reading of the log: what is probably a mistake. */
  notes: string[]
  /** Cases that open after `until`. */
  casesAfterUntil: number
  /** Events of the other cases that come after `until`. */
  eventsAfterUntil: number
}

/**
 * Runs every case of the log. First assumes that the rows of a case are adjacent, and holds one case at a time. If a case
 * appears again, reads the log again from its start and holds all of it. If the log turns out to be newest first and has
 * events with the same time, reads it again with the rows of each case reversed.
 * @throws OperatorError also if the log has no usable row
 */
export async function runBacktest(
  log: LogFile,
  options: BacktestOptions,
  progress: Progress,
): Promise<Backtest> {
  // A pipe cannot be read again.
  let attempt: Attempt =
    log.isFile || options.isSorted
      ? { Grouping: SortedCases, hasAllLineEnds: !log.isFile, isReversed: false }
      : { Grouping: HeldCases, hasAllLineEnds: true, isReversed: false }
  for (;;) {
    try {
      const backtest = await runOver(log, options, progress, attempt)
      if (backtest.reading.events === 0) throw noEvents(backtest.reading)
      return backtest
    } catch (error) {
      attempt = nextAttempt(attempt, error, options)
    }
  }
}

interface Attempt {
  Grouping: new (onCase: (found: Case) => void, order: RowOrder) => CaseGrouping
  hasAllLineEnds: boolean
  /** For `SortedCases`; `HeldCases` knows the order at its end. */
  isReversed: boolean
}

/** @throws the error, unless the log must be read again */
function nextAttempt(attempt: Attempt, error: unknown, { isSorted }: BacktestOptions): Attempt {
  if (error instanceof UnexpectedCarriageReturn) return { ...attempt, hasAllLineEnds: true }
  if (error instanceof NewestFirst) return { ...attempt, isReversed: true }
  if (!(error instanceof CaseAppearsAgain)) throw error
  if (!isSorted) return { ...attempt, Grouping: HeldCases }
  const { caseId, line } = error
  throw new OperatorError(
    `line ${line} of the log: case "${caseId}" appears again after another case; without --sorted it need not be sorted by case`,
  )
}

async function runOver(
  log: LogFile,
  options: BacktestOptions,
  progress: Progress,
  { Grouping, hasAllLineEnds, isReversed }: Attempt,
): Promise<Backtest> {
  const reading = new LogReading(options, options.contracts, { hasAllLineEnds })
  const order = new RowOrder(isReversed)
  const run = new Run(options, reading, order)
  const cases = new Grouping((found) => run.add(found), order)
  progress.start(Grouping === SortedCases ? 'reading' : 'reading, not sorted by case')
  try {
    await reading.read(log.path, readLog(log.path, progress.update), (row) => cases.add(row))
    cases.finish()
    if (log.isFile && order.mustBeReversed) throw new NewestFirst()
  } finally {
    progress.end()
  }
  return run
}

function noEvents({ badRows }: LogReading): OperatorError {
  const [first] = badRows.first
  if (first === undefined) return new OperatorError('the log has no events')
  const count = badRows.count === 1 ? 'its one row is bad' : `all of its ${badRows.count} rows are bad`
  return new OperatorError(`the log has no usable row: ${count}; line ${first.line}: ${first.detail}`)
}

class Run implements Backtest {
  readonly reading: LogReading
  readonly totals: Totals[]
  readonly comparison: Comparison | null
  readonly #cases: CaseStatistics
  readonly #order: RowOrder
  readonly #hasEventIds: boolean
  readonly #calendar: Calendar | null
  readonly #measure: TimeMeasure
  readonly #until: number | null
  readonly #untilNotes: readonly string[]
  readonly #now: number
  casesAfterUntil = 0
  eventsAfterUntil = 0

  constructor(options: BacktestOptions, reading: LogReading, order: RowOrder) {
    const { contracts, calendar, until, untilNote, now } = options
    const [first, second] = contracts as [Contract, Contract?]
    this.reading = reading
    this.#hasEventIds = options.columns.eventId !== undefined
    this.#cases = new CaseStatistics(reading.hasAggregates, this.#hasEventIds)
    this.#order = order
    this.totals = contracts.map((contract) => new Totals(contract))
    this.comparison = second ? new Comparison(first, second) : null
    this.#calendar = calendar ?? null
    this.#measure = calendar ? workingTime(calendar) : ELAPSED_TIME
    this.#until = until
    this.#untilNotes = untilNote ? [untilNote] : []
    this.#now = now
  }

  get notes(): string[] {
    const reading = readingNotes(this.reading, this.#cases, this.#order, this.#now)
    return [...this.#untilNotes, ...this.#calendarNotes(), ...reading]
  }

  #calendarNotes(): string[] {
    const { firstAt, lastAt, firstOpening } = this.reading
    if (this.#calendar === null || firstAt === null || lastAt === null) return []
    const from = Math.min(firstAt, firstOpening?.at ?? firstAt)
    return [
      ...calendarZoneNotes(this.#calendar),
      ...spanEndNotes(this.#calendar),
      ...holidayNotes(this.#calendar, from, lastAt),
    ]
  }

  add(read: Case): void {
    this.#cases.add(read)
    const found = this.#hasEventIds ? read : withoutEventIds(read)
    const results: CaseResult[] = []
    for (const totals of this.totals) {
      const result = runCase(totals.contract, found, this.#until, this.#measure)
      if (!result) {
        this.casesAfterUntil++
        return
      }
      totals.add(result)
      results.push(result)
    }
    const [first, second] = results as [CaseResult, CaseResult]
    this.eventsAfterUntil += first.afterUntil
    this.comparison?.add(first, second)
  }
}

/** Without `--event-id`, ids of a column that has a usual name are only for notes. */
const withoutEventIds = (found: Case): Case =>
  found.events.some(({ id }) => id !== undefined)
    ? { ...found, events: found.events.map((event) => ({ ...event, id: undefined })) }
    : found

/** The result with the names of the files. */
export interface BacktestResult {
  log: { file: string; format: string }
  until: number | null
  calendar: (Calendar & { file: string }) | null
  /** Of the contracts. */
  files: string[]
  backtest: Backtest
}

const MEGABYTE = 1_000_000
const BAR_FORMAT = '{label} {bar} {percentage} %  {value}/{total} MB  {eta_formatted} left'
const BAR_OPTIONS: Options = {
  formatValue: (value, _options, kind) =>
    kind === 'value' || kind === 'total' ? value.toFixed(1) : `${value}`,
}

/** Shows how much of the log was read. */
export interface Progress {
  start(label: string): void
  update(bytes: number): void
  end(): void
}

/** A progress bar on standard error. Shows nothing if standard error is not a terminal. */
export function showProgress(totalBytes: number): Progress {
  if (!process.stderr.isTTY) return { start: () => {}, update: () => {}, end: () => {} }
  const bar = progressBar(BAR_FORMAT, BAR_OPTIONS)
  return {
    start: (label) => bar.start(totalBytes / MEGABYTE, 0, { label }),
    update: (bytes) => bar.update(bytes / MEGABYTE),
    end: () => bar.stop(),
  }
}

/** @param path "-" for standard input @throws OperatorError that lists all issues of the contract */
export async function readContract(path: string): Promise<Contract> {
  return (await readTerms(path, 'contract', validateContract)) as Contract
}

/** A calendar as `POST /v1/calendars` takes it. @param path "-" for standard input @throws OperatorError that lists all issues */
export async function readCalendar(path: string): Promise<Calendar> {
  if (typeof Temporal === 'undefined') {
    throw new OperatorError('this Node cannot compute working time: --calendar needs Node 26')
  }
  const calendar = (await readTerms(path, 'calendar', validateCalendar)) as JsonObject
  return { holidays: [], exceptions: {}, ...calendar } as unknown as Calendar
}

type Kind = 'contract' | 'calendar'

async function readTerms(path: string, kind: Kind, validate: (value: unknown) => Issue[]): Promise<unknown> {
  const value = parse(inputName(path), kind, await readText(path, kind))
  const issues = validate(value)
  if (issues.length === 0) return value
  const all = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ')
  throw new OperatorError(`${inputName(path)} is not a ${kind}: ${all}`)
}

async function readText(path: string, kind: Kind): Promise<string> {
  const bytes = await readBytes(path, kind)
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new OperatorError(`the ${kind} ${inputName(path)} is not valid UTF-8: save it as UTF-8`)
}

async function readBytes(path: string, kind: Kind): Promise<Buffer> {
  try {
    return await buffer(openInput(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new OperatorError(
      code === 'ENOENT'
        ? `there is no ${kind} ${path}`
        : `the ${kind} ${inputName(path)} cannot be read: ${message}`,
    )
  }
}

function parse(path: string, kind: Kind, text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new OperatorError(`the ${kind} ${path} is not JSON: ${(error as Error).message}`)
  }
  const flaw = findJsonFlaw(value as Json)
  if (flaw)
    throw new OperatorError(`${path} is not a ${kind}: ${flaw.path.join('.') || 'it'} ${flaw.message}`)
  const lossyAt = runSync(findLossyNumber(text))
  if (lossyAt === null) return value
  const [number] = /^[-\d.eE+]+/.exec(text.slice(lossyAt)) ?? []
  throw new OperatorError(
    `${path} is not a ${kind}: the number ${number} cannot be kept exactly, so the service refuses it`,
  )
}
