/* The back-test: what several test files use of the source. When a source file moves, one line changes here. */

export { type Case, runCase } from '../../../src/backtest/backtest.ts'
export { resultTable } from '../../../src/backtest/report/result-table.ts'
export { type BacktestOptions, runBacktest } from '../../../src/backtest/run-backtest.ts'
export { TimeReader } from '../../../src/backtest/time/time-reader.ts'
export { decimalText, minus, plus, times, toDecimal } from '../../../src/kernel/decimal.ts'
