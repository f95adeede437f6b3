/** Counts code points, as limits do. An emoji is one character, but two UTF-16 units of a JavaScript string. */
export function lengthInCharacters(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** The first items, and the number of further items: "a, b and 3 more". */
export function listFirst(items: readonly (string | number)[], maxItems: number): string {
  const more = items.length - maxItems
  return items.slice(0, maxItems).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Characters that a spreadsheet does not show: white space, control and filler characters. */
const HIDDEN = String.raw`\s\p{Z}\p{C}\p{DI}\u2800`
/** Characters that start a formula, and their full-width forms. */
const FORMULA_START = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20]`
/** Separators of cells in some locales, and line breaks. */
const SEPARATOR = String.raw`[;\t\n\v\f\r\u0085\u2028\u2029]`

const FORMULA = new RegExp(`^(?:[\\t\\r\\n]|[${HIDDEN}]*${FORMULA_START})`, 'u')
/** A separator before a formula. Quotes are skipped: a spreadsheet removes them at the start of a cell. */
const SEPARATED_FORMULA = new RegExp(
  `${SEPARATOR}(?=(?:(?!${SEPARATOR})[${HIDDEN}"])*${FORMULA_START})`,
  'gu',
)

/**
 * Prevents CSV injection: a spreadsheet must not evaluate a name, or a part of it, as a formula. A leading ' makes a cell a text.
 * CSV quotes do not help: a spreadsheet that splits at ; ignores them within a cell.
 */
export function spreadsheetField(field: string): string {
  const guarded = field.replace(SEPARATED_FORMULA, "$&'")
  return FORMULA.test(field) ? `'${guarded}` : guarded
}

/** The same for JSON. The separators in strings are escaped, so the value stays equal. */
export const spreadsheetJson = (json: string): string =>
  json.replace(
    SEPARATED_FORMULA,
    (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
