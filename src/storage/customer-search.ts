import type { ListQuery } from './lists/list-query.ts'

/*
 * Customers by the beginning of their external id or name, whatever the case of the letters (§4.5): by Unicode's simple
 * case folding, A to Z with a to z alone. PostgreSQL folds other letters by the language of the database, or not at all.
 * So the indexes fold ASCII alone (`COLLATE "C"`), which every PostgreSQL does alike, and a search names the forms of its
 * other letters: each combination for the first of them is a range of an index, and all of them are compared.
 */

/** An index is read in a range for each combination of their forms: 8 where each has two. */
const LETTERS_IN_RANGES = 3
const LAST_CHARACTER = 'chr(1114111)'
/** As the indexes have them. */
const EXTERNAL_ID = 'lower(external_id COLLATE "C")'
const NAME = 'lower(name COLLATE "C")'

/** What a text begins with in any case of its letters. */
export interface Beginning {
  folded: string
  /** Beginnings, ASCII folded, one of which the text has. */
  ranges: string[]
  /** Forms of its letters beyond ASCII, in the order of `foldedForms`. */
  forms: string
  foldedForms: string
}

/** Letters that are not the upper-case form of what they fold to, such as a final sigma or a capital ẞ. */
const OTHER_FORMS = Map.groupBy(
  '\u00b5ǅǈǋǲ\u0345ςϐϑϕϖϰϱϴϵᲀᲁᲂᲃᲄᲅᲆᲇᲈẛẞᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼ\u1fbeῌῼ\u2126\u212b',
  foldLetter,
)

/** Of a letter beyond ASCII to another such one; anything else stays. */
function foldLetter(letter: string): string {
  const alone = (text: string, otherwise: string) =>
    text > '\x7f' && [...text].length === 1 ? text : otherwise
  return alone(alone(letter.toUpperCase(), letter).toLowerCase(), letter)
}

/** What folds to this letter, itself included. */
function formsOf(folded: string): string[] {
  const upper = folded.toUpperCase()
  return [folded, upper, ...(OTHER_FORMS.get(folded) ?? [])].filter((form) => foldLetter(form) === folded)
}

export function beginningOf(search: string): Beginning {
  const beginning: Beginning = { folded: '', ranges: [''], forms: '', foldedForms: '' }
  let letters = 0
  for (const character of search) {
    const folded = character <= '\x7f' ? character.toLowerCase() : foldLetter(character)
    const forms = character <= '\x7f' ? [folded] : [...new Set(formsOf(folded))]
    beginning.folded += folded
    if (forms.length > 1) {
      letters++
      beginning.forms += forms.join('')
      beginning.foldedForms += folded.repeat(forms.length)
    }
    if (letters <= LETTERS_IN_RANGES)
      beginning.ranges = beginning.ranges.flatMap((range) => forms.map((form) => range + form))
  }
  return beginning
}

/** SQL of whether a customer is found. */
export function isFound(query: ListQuery, beginning: Beginning): string {
  const [folded, forms, foldedForms] = [beginning.folded, beginning.forms, beginning.foldedForms].map(
    (text) => `${query.parameter(text)}::text`,
  )
  const begins = (by: string) => `translate(${by}, ${forms}, ${foldedForms}) ^@ ${folded}`
  return `(${begins(EXTERNAL_ID)} OR ${begins(NAME)})`
}

/** SQL of the ids of those of the account $1 that are found, for each range of an index. */
export function foundIds(query: ListQuery, beginning: Beginning): string[] {
  const found = isFound(query, beginning)
  return beginning.ranges.flatMap((range) => {
    // With a generic plan `^@` alone is no range in an index.
    const from = `${query.parameter(range)}::text`
    const ids = (by: string) =>
      `SELECT id FROM customers WHERE user_id = $1 AND ${by} >= ${from} AND ${by} < ${from} || ${LAST_CHARACTER} AND ${found}`
    return [ids(EXTERNAL_ID), `${ids(NAME)} AND name IS NOT NULL`]
  })
}
