/** What a spreadsheet takes for a formula, also behind what it does not show: blanks, controls, fillers. */
const LIKE_A_FORMULA = /^(?:[\t\r\n]|[\s\p{Z}\p{C}\p{DI}\u2800]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u

/** A spreadsheet must not take a caller's name for a formula: one that looks like it is given a leading '. */
export const spreadsheetField = (field: string): string => (LIKE_A_FORMULA.test(field) ? `'${field}` : field)
