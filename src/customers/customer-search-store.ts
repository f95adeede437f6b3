import type { ListQuery } from '../platform/database/lists/list-query.ts'

/*
 * Prefix search of customers by external id or name, case-insensitive (§4.5) by Unicode's simple case folding; A to Z match
 * only a to z. PostgreSQL folds other letters by the locale of the database, or not at all. So the indexes fold only ASCII
 * (`COLLATE "C"`), which is the same in every database. A search lists the case variants of its other letters: each
 * combination of variants of the first letters is an index range, and a filter compares all letters.
 */

/** Letters whose variants make index ranges: 8 ranges where each letter has two variants. */
const MAX_LETTERS_IN_RANGES = 3
const LAST_CHARACTER = 'chr(1114111)'
/** The expressions of the indexes. */
const EXTERNAL_ID = 'lower(external_id COLLATE "C")'
const NAME = 'lower(name COLLATE "C")'

/** A prefix to search for, in any case of its letters. */
export interface Prefix {
  folded: string
  /** ASCII-folded prefixes. A match has one of them. */
  ranges: string[]
  /** Variants of its letters beyond ASCII, in the order of `foldedVariants`. */
  variants: string
  foldedVariants: string
}

/** Letters that are not the upper case of the letter they fold to, such as a final sigma or a capital ẞ. */
const OTHER_VARIANTS = Map.groupBy(
  '\u00b5ǅǈǋǲ\u0345ςϐϑϕϖϰϱϴϵᲀᲁᲂᲃᲄᲅᲆᲇᲈẛẞᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼ\u1fbeῌῼ\u2126\u212b',
  foldLetter,
)

/** Folds a letter beyond ASCII if its folded form is one letter beyond ASCII. */
function foldLetter(letter: string): string {
  const oneLetter = (text: string, fallback: string) =>
    text > '\x7f' && [...text].length === 1 ? text : fallback
  return oneLetter(oneLetter(letter.toUpperCase(), letter).toLowerCase(), letter)
}

/** All letters that fold to this one, including itself. */
function variantsOf(folded: string): string[] {
  const candidates = [folded, folded.toUpperCase(), ...(OTHER_VARIANTS.get(folded) ?? [])]
  return [...new Set(candidates)].filter((letter) => foldLetter(letter) === folded)
}

export function prefixOf(search: string): Prefix {
  const prefix: Prefix = { folded: '', ranges: [''], variants: '', foldedVariants: '' }
  let letters = 0
  for (const character of search) {
    const isAscii = character <= '\x7f'
    const folded = isAscii ? character.toLowerCase() : foldLetter(character)
    const variants = isAscii ? [folded] : variantsOf(folded)
    prefix.folded += folded
    if (variants.length > 1) {
      letters++
      prefix.variants += variants.join('')
      prefix.foldedVariants += folded.repeat(variants.length)
    }
    if (letters <= MAX_LETTERS_IN_RANGES)
      prefix.ranges = prefix.ranges.flatMap((range) => variants.map((letter) => range + letter))
  }
  return prefix
}

/** SQL: whether a customer matches. */
export function matchesSql(query: ListQuery, prefix: Prefix): string {
  const [folded, variants, foldedVariants] = [prefix.folded, prefix.variants, prefix.foldedVariants].map(
    (text) => `${query.parameter(text)}::text`,
  )
  const startsWith = (by: string) => `translate(${by}, ${variants}, ${foldedVariants}) ^@ ${folded}`
  return `(${startsWith(EXTERNAL_ID)} OR ${startsWith(NAME)})`
}

/** SQL: the ids of the matching customers of the account $1, one query for each index range. */
export function matchingIdsSql(query: ListQuery, prefix: Prefix): string[] {
  const matches = matchesSql(query, prefix)
  return prefix.ranges.flatMap((range) => {
    // In a generic plan `^@` alone does not become an index range.
    const from = `${query.parameter(range)}::text`
    const ids = (by: string) =>
      `SELECT id FROM customers WHERE user_id = $1 AND ${by} >= ${from} AND ${by} < ${from} || ${LAST_CHARACTER} AND ${matches}`
    return [ids(EXTERNAL_ID), `${ids(NAME)} AND name IS NOT NULL`]
  })
}
