/* The back-test: what several test files use of the source. When a source file moves, one line changes here. */

export { resultTable } from '../../../src/cli/backtest/report/result-table.ts'
export { type BacktestOptions, runBacktest } from '../../../src/cli/backtest/run-backtest.ts'
export { TimeReader } from '../../../src/cli/backtest/time/time-reader.ts'
export { type Case, runCase } from '../../../src/domain/backtest/backtest.ts'
export { decimalText, minus, plus, times, toDecimal } from '../../../src/domain/backtest/decimal.ts'
