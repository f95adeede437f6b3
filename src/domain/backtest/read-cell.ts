import { isLossy } from '../exact-numbers.ts'
import type { Json, JsonType } from '../json.ts'

/*
 * Parsing of CSV cells. A cell has no type, so the type that a leaf compares decides how its value is parsed (§10 rule 1).
 */

export type DecimalMark = '.' | ','

/** Decimal numbers in unambiguous notations: no digit grouping, no units. */
const DECIMAL: Record<DecimalMark, RegExp> = {
  '.': /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/,
  ',': /^[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?$/,
}

/** The value of the cell as this type; undefined if it is none. */
export function readCell(cell: string, type: JsonType, mark: DecimalMark): Json | undefined {
  if (type === 'text') return cell
  if (type === 'number') return readNumber(cell.trim(), mark)
  return type === 'boolean' ? readBoolean(cell.trim()) : undefined
}

/** The nearest double, as JSON.parse returns it: 4.5000000000000000 is 4.5. */
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

/** Whether a double cannot hold the number, so that the service refuses it (§8). */
export function isLossyCell(cell: string, value: number): boolean {
  if (cell.length < 16 && Number.isFinite(value) && value !== 0) return false
  const source = cell
    .trim()
    .replace(',', '.')
    .replace(/^\+|\.$/g, '')
  return isLossy(source, value)
}
