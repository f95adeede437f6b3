import { differenceInWords, differenceOf, spellingKey } from '../core/contracts/hints/spelling.ts'

/*
 * Texts that look alike to people but that a leaf does not treat as equal: they differ only in spelling (`spelling.ts`), in
 * quotes around them, or in other characters after the last letter or digit. Spreadsheets and pandas
 * write 123 as 123.0 if the column has an empty cell.
 */

/** Fast path for nearly all case ids: ASCII whose key is the text in lower case. */
const PLAIN = /^[A-Za-z0-9]+(?:[-_ .:/][A-Za-z0-9]+)*$/
const WHOLE_NUMBER = /^\d+\.0$/
const AROUND = /^[="'“„«]+|[^\p{L}\p{M}\p{N}]+$/gu

/** Equal for similar texts. */
export function similarityKey(text: string): string {
  if (PLAIN.test(text)) return WHOLE_NUMBER.test(text) ? text.slice(0, -2) : text.toLowerCase()
  const key = spellingKey(text)
  return key.replace(AROUND, '') || key
}

/** How two similar texts differ. */
export function differenceFrom(text: string, other: string): string {
  const by = differenceOf(text, other)
  return by === null ? 'quotes or characters at the end' : differenceInWords(text, other, by)
}
