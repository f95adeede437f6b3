/** What a spreadsheet does not show: blanks, controls, fillers. */
const HIDDEN = String.raw`\s\p{Z}\p{C}\p{DI}\u2800`
/** The characters that begin a formula, and their full-width forms. */
const SIGN = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20]`
/** Where a spreadsheet of another country splits a line, and where it splits a file into lines. */
const SEPARATOR = String.raw`[;\t\n\v\f\r\u0085\u2028\u2029]`

const BEGINS_FORMULA = new RegExp(`^(?:[\\t\\r\\n]|[${HIDDEN}]*${SIGN})`, 'u')
/** A separator with a formula behind it. Quotes are skipped: a spreadsheet removes them at the beginning of a cell. */
const SEPARATED_FORMULA = new RegExp(`${SEPARATOR}(?=(?:(?!${SEPARATOR})[${HIDDEN}"])*${SIGN})`, 'gu')

/**
 * A spreadsheet must not take a caller's name, or a part of it, for a formula. A leading ' makes a cell a text. CSV quotes do
 * not: a spreadsheet that splits at ; does not see them within a cell.
 */
export function spreadsheetField(field: string): string {
  const guarded = field.replace(SEPARATED_FORMULA, "$&'")
  return BEGINS_FORMULA.test(field) ? `'${guarded}` : guarded
}

/** The same for JSON, which stays equal: a separator within a string is written as an escape. */
export const spreadsheetJson = (json: string): string =>
  json.replace(SEPARATED_FORMULA, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
