import { differenceInWords, differenceOf, spellingKey } from '../contract/hints/spelling.ts'

/*
 * Texts that people take for the same, and that a leaf does not: those that differ only in spelling, and those that have
 * quotes around them or other characters behind their last letter or digit, as exports write them. Spreadsheets and pandas
 * write 123 as 123.0 if the column has an empty cell.
 */

/** ASCII of which only the letter case counts: nearly all ids of cases, so no more is done with them. */
const PLAIN = /^[A-Za-z0-9]+(?:[-_ .:/][A-Za-z0-9]+)*$/
const WHOLE_NUMBER = /^\d+\.0$/
const AROUND = /^[="'“„«]+|[^\p{L}\p{M}\p{N}]+$/gu

/** The same for all texts that are similar. */
export function similarityKey(text: string): string {
  if (PLAIN.test(text)) return WHOLE_NUMBER.test(text) ? text.slice(0, -2) : text.toLowerCase()
  const key = spellingKey(text)
  return key.replace(AROUND, '') || key
}

/** By what a text differs from one that is similar. */
export function differenceFrom(text: string, other: string): string {
  const by = differenceOf(text, other)
  return by === null ? 'quotes or characters at the end' : differenceInWords(text, other, by)
}
