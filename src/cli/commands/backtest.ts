import { type Command, Option } from 'commander'
import { parseEncoding } from '../../backtest/log/decode-text.ts'
import { findLog, LOG_FORMATS, type LogFormat, parseSeparator } from '../../backtest/log/open-log.ts'
import type { LogOptions } from '../../backtest/log/read-rows.ts'
import type { DecimalMark } from '../../backtest/read-cell.ts'
import { reportPage } from '../../backtest/report/page.ts'
import { resultJson } from '../../backtest/report/result-json.ts'
import { resultTable } from '../../backtest/report/result-table.ts'
import {
  type BacktestResult,
  readCalendar,
  readContract,
  runBacktest,
  showProgress,
} from '../../backtest/run-backtest.ts'
import { parseTimeFormat, TIME_FORMATS, type TimeFormat } from '../../backtest/time/time-format.ts'
import { parseTimeZone, readUntil } from '../../backtest/time/time-reader.ts'
import type { Contract } from '../../core/contracts/contract.ts'
import { UsageError } from '../../kernel/operator-error.ts'
import { STANDARD_INPUT } from '../../platform/terminal/input-file.ts'
import { print, refuseInputAsOutput, writeForOwner } from '../../platform/terminal/output.ts'
import { printable, printableJson } from '../../platform/terminal/printable.ts'

interface Options {
  log: string
  contract: string
  compare?: string
  calendar?: string
  case: string
  type: string
  time: string
  openedAt?: string
  eventId?: string
  separator?: string
  decimal: DecimalMark
  encoding?: string
  timeFormat?: TimeFormat
  timeZone?: string
  format?: LogFormat
  until?: string
  strict: boolean
  sorted: boolean
  json: boolean
  report?: string
}

export function addBacktestCommand(program: Command): void {
  program
    .command('backtest')
    .description('compute what a contract would have paid for an event log; offline, without a database')
    .requiredOption(
      '--log <file>',
      'the event log: CSV with a header, NDJSON, JSON or XES; plain or gzip; - is standard input',
    )
    .requiredOption('--contract <file>', 'the contract of every case, as JSON; - is standard input')
    .option('--compare <file>', 'a second contract: which cases change, and by how much money')
    .option(
      '--calendar <file>',
      'the calendar that the contracts name, as JSON in the form of POST /v1/calendars; - is standard input',
    )
    .option('--case <column>', 'column that names the case', 'case_id')
    .option('--type <column>', 'column that names the type of the event', 'type')
    .option(
      '--time <column>',
      'column of its time: ISO 8601, or Unix seconds (10 digits) or milliseconds (13)',
      'occurred_at',
    )
    .option('--opened-at <column>', 'column of the time that the case opened (default: its first event)')
    .option('--event-id <column>', 'column of the id of the event (default: each row is a new event)')
    .option(
      '--time-format <format>',
      `the format of the times, if it is another: ${TIME_FORMATS}`,
      parseTimeFormat,
    )
    .option(
      '--time-zone <name>',
      'the zone of times without a zone, such as Europe/Berlin (default: UTC)',
      parseTimeZone,
    )
    .option(
      '--separator <text>',
      'the separator of the columns; "tab" for a tab (default: detected)',
      parseSeparator,
    )
    .addOption(
      new Option('--decimal <mark>', 'the decimal mark of numbers in CSV').choices(['.', ',']).default('.'),
    )
    .option(
      '--encoding <name>',
      'the encoding, such as latin1 or windows-1252 (default: UTF-8, or detected UTF-16)',
      parseEncoding,
    )
    .addOption(
      new Option('--format <format>', 'the format (default: detected from the name or the content)').choices(
        LOG_FORMATS,
      ),
    )
    .option('--until <time>', 'end of the simulation (default: every case runs until it is resolved)')
    .option('--strict', 'stop at the first bad row', false)
    .option('--sorted', 'require that the rows of each case are adjacent; stop if they are not', false)
    .option('--json', 'print one JSON object in place of the tables', false)
    .option('--report <file>', 'write a page with charts, as one HTML file that only its owner can read')
    .addHelpText('after', NOTES)
    .action(backtest)
}

const NOTES = `
All columns but those of the case, the type, the time and the id are the payload of the event. A cell of CSV has no type: the
value that the contract compares decides how the cell is read, as text, as a number, or as true or false; a column a.b
is the path a.b, and an empty cell is left out. NDJSON, JSON and XES keep their types. In XES the case is the trace's
concept:name, the type the event's concept:name and the time its time:timestamp; an attribute x of the trace is case:x.
Lists, containers and attributes of attributes in XES are not read, and an event counts for its type whatever its
lifecycle:transition is; a condition can name that. Notes in the result name probable mistakes, such as a
text that is compared with a number.

Times: excel is the 1900 date system of Excel, excel-1904 that of old workbooks of Excel for Mac. A date with an offset, such
as 2026-01-31-05:00, needs --time-format, because what follows the date may be a time of day.

Without --event-id each row is a new event. With it, an event whose id is in the claim's log already is counted as repeated
and decides nothing, as in the service. A row without an id is a new event.

Memory: a log in which the rows of each case are adjacent is run case by case: under 300 MB for ten million events of 1.25 million
cases, and some 30 bytes a case. If a case appears again, the log is read once more and held: 32 bytes an event,
some 60 more if the contract looks at its payload, and 200 a case (ten million events of those cases: 900 MB).
--sorted rules that out.

Of the cases that FAILED, the one lost by the least is the one for which the fewest parts of the condition would
have to change; among equals, the one that a refused event would have won soonest after the activity window.`

async function backtest(options: Options): Promise<void> {
  const paths = [options.contract, ...(options.compare === undefined ? [] : [options.compare])]
  const calendarPaths = options.calendar === undefined ? [] : [options.calendar]
  await checkFiles([options.log, ...paths, ...calendarPaths], options.report)
  const log = await findLog(options.log)
  const contracts = await Promise.all(paths.map(readContract))
  const calendar = await calendarOf(options.calendar, contracts)
  const reading = readingOptions(options)
  const until = options.until === undefined ? null : readUntil(options.until, reading.times)
  const end = { until: until?.at ?? null, untilNote: until?.note ?? null }
  const run = { ...reading, ...end, contracts, calendar, now: Date.now(), isSorted: options.sorted }
  const done = await runBacktest(log, run, showProgress(log.bytes))
  const { format } = done.reading
  const result = {
    log: { file: options.log, format },
    until: end.until,
    calendar,
    files: paths,
    backtest: done,
  }
  if (options.report !== undefined) await writeReport(options.report, result)
  await print(options.json ? printableJson(resultJson(result)) : resultTable(result))
}

/** The calendar stands for each one that a contract names: the id in the contract is that of an account. */
async function calendarOf(file: string | undefined, contracts: readonly Contract[]) {
  const isNamed = contracts.some(({ clock }) => clock?.calendar)
  if (file === undefined && isNamed) {
    throw new UsageError('the contract names a calendar: give its file with --calendar')
  }
  if (file === undefined) return null
  if (!isNamed) throw new UsageError('--calendar is given, but no contract names a calendar (clock.calendar)')
  return { ...(await readCalendar(file)), file }
}

function readingOptions(options: Options): LogOptions {
  const { case: caseColumn, type, time, openedAt, eventId, decimal, strict } = options
  return {
    format: options.format ?? null,
    encoding: options.encoding ?? null,
    separator: options.separator ?? null,
    decimal,
    times: { format: options.timeFormat ?? null, zone: options.timeZone ?? null },
    columns: {
      case: caseColumn,
      type,
      time,
      ...(openedAt === undefined ? {} : { openedAt }),
      ...(eventId === undefined ? {} : { eventId }),
    },
    isStrict: strict,
  }
}

/** Checked first, because the run may take long. */
async function checkFiles(inputs: readonly string[], report: string | undefined): Promise<void> {
  if (inputs.filter((path) => path === STANDARD_INPUT).length > 1) {
    throw new UsageError(
      'only one of --log, --contract, --compare and --calendar can be - for standard input',
    )
  }
  if (report === '-') throw new UsageError('--report needs a file: the result goes to standard output')
  await refuseInputAsOutput(null, inputs)
  if (report !== undefined) await refuseInputAsOutput(report, inputs)
}

async function writeReport(path: string, result: BacktestResult): Promise<void> {
  await writeForOwner(path, reportPage(result))
  console.error(`The report is in ${printable(path)}.`)
}
