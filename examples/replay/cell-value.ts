import { isLossyCell } from '../../src/domain/backtest/read-cell.ts'

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A number only if nothing is lost by it: "007" is a name, and large keys would change their last digits. */
export function cellValue(cell: string): string | number {
  if (!JSON_NUMBER.test(cell)) return cell
  const number = Number(cell)
  return isLossyCell(cell, number) ? cell : number
}
