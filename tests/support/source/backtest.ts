/* The back-test: what tests use of the source. If a file of it moves, one line changes here and none in the tests. */

export { cellValue, valueBytes } from '../../../src/cli/backtest/log/cell-value.ts'
export { resultTable } from '../../../src/cli/backtest/report/result-table.ts'
export { type BacktestOptions, runBacktest } from '../../../src/cli/backtest/run-backtest.ts'
export { type Case, runCase } from '../../../src/domain/backtest/backtest.ts'
export { decimalText, minus, plus, times, toDecimal } from '../../../src/domain/backtest/decimal.ts'
