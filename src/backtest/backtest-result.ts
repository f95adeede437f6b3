import type { Backtest } from './run-backtest.ts'

/** What there is to show. */
export interface BacktestResult {
  log: { file: string; format: string }
  until: number | null
  /** Of the contracts. */
  files: string[]
  backtest: Backtest
}
