import type { Case, CaseResult } from '../../domain/backtest/backtest.ts'
import { runCase } from '../../domain/backtest/backtest.ts'
import { Comparison } from '../../domain/backtest/comparison.ts'
import { decisiveFields } from '../../domain/backtest/fields.ts'
import { Totals } from '../../domain/backtest/totals.ts'
import { type Contract, decisiveEventTypes } from '../../domain/contract/contract.ts'
import { OperatorError } from '../../operator-error.ts'
import { HeldCases } from './cases/held-cases.ts'
import { CaseAppearsAgain, type CaseGrouping, SortedCases } from './cases/sorted-cases.ts'
import type { Interest } from './log/log-row.ts'
import { type LogFile, readLog } from './log/open-log.ts'
import { type LogOptions, LogReading } from './log/read-rows.ts'
import type { Progress } from './progress.ts'

export interface BacktestOptions extends LogOptions {
  /** One, or two to be compared. */
  contracts: readonly Contract[]
  until: number | null
  /** Whether the log is promised to be sorted by case. */
  isSorted: boolean
}

export interface Backtest {
  reading: LogReading
  totals: Totals[]
  comparison: Comparison | null
  /** Cases that open after `until`. */
  casesAfterUntil: number
  /** Events of the other cases that come after `until`. */
  eventsAfterUntil: number
}

/**
 * Runs every case of the log. It is taken to be sorted by case, so that one case is held at a time, until a
 * case appears again; then it is read once more from its start, and all of it is held.
 */
export async function runBacktest(
  log: LogFile,
  options: BacktestOptions,
  progress: Progress,
): Promise<Backtest> {
  // A pipe cannot be read again.
  if (!log.isFile && !options.isSorted) return runOver(log, options, progress, HeldCases)
  try {
    return await runOver(log, options, progress, SortedCases)
  } catch (error) {
    if (!(error instanceof CaseAppearsAgain)) throw error
    if (!options.isSorted) return runOver(log, options, progress, HeldCases)
    const { caseId, line } = error
    throw new OperatorError(
      `line ${line} of the log: case "${caseId}" appears again after another case; without --sorted it need not be sorted by case`,
    )
  }
}

type Grouping = new (onCase: (found: Case) => void) => CaseGrouping

async function runOver(
  log: LogFile,
  options: BacktestOptions,
  progress: Progress,
  Grouping: Grouping,
): Promise<Backtest> {
  const reading = new LogReading(options, interestOf(options.contracts))
  const run = new Run(options, reading)
  const cases = new Grouping((found) => run.add(found))
  progress.start(Grouping === SortedCases ? 'reading' : 'reading, not sorted by case')
  try {
    await reading.read(readLog(log.path, progress.update), (row) => cases.add(row))
    cases.finish()
  } finally {
    progress.end()
  }
  return run
}

function interestOf(contracts: readonly Contract[]): Interest {
  return {
    types: new Set(contracts.flatMap(decisiveEventTypes)),
    fields: new Set(contracts.flatMap((contract) => [...decisiveFields(contract)])),
  }
}

class Run implements Backtest {
  readonly reading: LogReading
  readonly totals: Totals[]
  readonly comparison: Comparison | null
  readonly #until: number | null
  casesAfterUntil = 0
  eventsAfterUntil = 0

  constructor({ contracts, until }: BacktestOptions, reading: LogReading) {
    const [first, second] = contracts as [Contract, Contract?]
    this.reading = reading
    this.totals = contracts.map((contract) => new Totals(contract))
    this.comparison = second ? new Comparison(first, second) : null
    this.#until = until
  }

  add(found: Case): void {
    const results: CaseResult[] = []
    for (const totals of this.totals) {
      const result = runCase(totals.contract, found, this.#until)
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
