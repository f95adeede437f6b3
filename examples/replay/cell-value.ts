import { isLossyCell } from '../../src/backtest/read-cell.ts'

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/**
 * A cell that is a number in JSON becomes a number, unless it would lose digits: "007" and large ids stay text. The back-test
 * has another rule: there the contract decides how a cell is read (docs/spec.md §10 rule 1).
 */
export function cellValue(cell: string): string | number {
  if (!JSON_NUMBER.test(cell)) return cell
  const number = Number(cell)
  return isLossyCell(cell, number) ? cell : number
}
