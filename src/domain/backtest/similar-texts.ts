import { differenceInWords, differenceOf, spellingKey } from '../contract/hints/spelling.ts'

/*
 * Texts that look the same to people but not to a leaf: they differ only in spelling (`spelling.ts`), by quotes around them, or
 * by characters after the last letter or digit.
 */

/** A fast path for ASCII texts, such as nearly all case ids: only the letter case differs. */
const PLAIN = /^[A-Za-z0-9]+(?:[-_ .:/][A-Za-z0-9]+)*$/
const AROUND = /^[="'“„«]+|[^\p{L}\p{M}\p{N}]+$/gu

/** Equal for texts that are similar. */
export function similarityKey(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  const key = spellingKey(text)
  return key.replace(AROUND, '') || key
}

/** How a text differs from a similar one. */
export function differenceFrom(text: string, other: string): string {
  const by = differenceOf(text, other)
  return by === null ? 'quotes or characters at the end' : differenceInWords(text, other, by)
}
