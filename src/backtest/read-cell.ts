import { isLossy } from '../kernel/exact-numbers.ts'
import type { Json } from '../kernel/json.ts'
import type { ComparedType } from './compared-fields.ts'

/*
 * Reads a cell of CSV as a value. A cell has no type, so the type of the value that a leaf compares decides how the cell is
 * read (§10 rule 1).
 */

export type DecimalMark = '.' | ','

/** Decimal numbers without digit groups and units. */
const DECIMAL: Record<DecimalMark, RegExp> = {
  '.': /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/,
  ',': /^[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?$/,
}

/** The cell as a value of the type; undefined if it is not one. */
export function readCell(cell: string, type: ComparedType, mark: DecimalMark): Json | undefined {
  if (type === 'text' || type === 'scalar') return cell
  if (type === 'number') return readNumber(cell.trim(), mark)
  return type === 'boolean' ? readBoolean(cell.trim()) : undefined
}

/** The nearest double, as in JSON: 4.5000000000000000 is 4.5. */
function readNumber(text: string, mark: DecimalMark): number | undefined {
  if (!DECIMAL[mark].test(text)) return undefined
  return Number(mark === ',' ? text.replace(',', '.') : text)
}

function readBoolean(text: string): boolean | undefined {
  if (text.length < 4 || text.length > 5) return undefined
  const folded = text.toLowerCase()
  if (folded === 'true') return true
  return folded === 'false' ? false : undefined
}

/** Whether a double cannot hold the number exactly. The service refuses such numbers (§8). */
export function isLossyCell(cell: string, value: number): boolean {
  if (cell.length < 16 && Number.isFinite(value) && value !== 0) return false
  const source = cell
    .trim()
    .replace(',', '.')
    .replace(/^\+|\.$/g, '')
  return isLossy(source, value)
}
