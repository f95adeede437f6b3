const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
/** Decimals of so many digits come back from a double as they were written. */
const SAFE_DIGITS = 15

/** A number only if nothing is lost by it: "007" is a name, and large keys would change their last digits. */
export function cellValue(cell: string): string | number {
  const first = cell.charCodeAt(0)
  const mayBeNumber = (first >= 48 && first <= 57) || first === 45
  if (!mayBeNumber || !JSON_NUMBER.test(cell)) return cell
  const number = Number(cell)
  return isExact(number, cell) ? number : cell
}

function isExact(number: number, cell: string): boolean {
  if (Number.isInteger(number) && number !== 0) return Number.isSafeInteger(number)
  if (!Number.isFinite(number)) return false
  if (number === 0) return !/[1-9]/.test(cell.split(/[eE]/)[0] as string)
  return (
    cell.length <= SAFE_DIGITS || cell.replace(/[eE].*|\D/g, '').length <= SAFE_DIGITS || `${number}` === cell
  )
}
