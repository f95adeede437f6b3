/*
 * Texts that people take for the same, and that a leaf does not: they differ only by blanks, letter case, Unicode form,
 * characters that do not show, or what follows their last letter or digit.
 */

const AROUND = /^\s*["'“„«]+|[^\p{L}\p{M}\p{N}]+$/gu

const DIFFERENCES: readonly (readonly [name: string, fold: (text: string) => string])[] = [
  ['blanks', (text) => text.trim().replace(/\s+/g, ' ')],
  ['letter case', (text) => text.toLowerCase()],
  ['Unicode form', (text) => text.normalize('NFKC')],
  ['characters that do not show', (text) => text.replace(/[\p{Cc}\p{Cf}]+/gu, '')],
  ['quotes or characters at the end', (text) => text.replace(AROUND, '') || text],
]

/** Blanks go first and last: they may stand behind what another step takes away. */
const STEPS = [...DIFFERENCES.slice(2), ...DIFFERENCES.slice(0, 2)].map(([, fold]) => fold)
/** ASCII of which only the letter case counts. */
const PLAIN = /^[A-Za-z0-9]+(?:[-_ .:/][A-Za-z0-9]+)*$/

/** The same for all texts that are similar. */
export function similarityKey(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return STEPS.reduce((folded, fold) => fold(folded), text.trim())
}

/** By what two similar texts differ: "blanks and letter case". */
export function differenceOf(one: string, other: string): string {
  const alone = DIFFERENCES.find(([, fold]) => fold(one) === fold(other))
  if (alone) return alone[0]
  const names: string[] = []
  let texts = [one, other]
  for (const [name, fold] of DIFFERENCES) {
    const folded = texts.map(fold)
    if (folded.some((text, i) => text !== texts[i])) names.push(name)
    texts = folded
    if (texts[0] === texts[1]) break
  }
  return names.join(' and ')
}
