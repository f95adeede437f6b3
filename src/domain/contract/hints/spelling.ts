/**
 * Spellings that people take for one and the service does not. Types and texts are compared exactly, so "done " is another type
 * than "done". A spelling differs from another one only
 *
 * - by characters that do not show: white space, controls, zero-width characters, or the Unicode form (é as one character or two);
 * - by the form of characters: full-width letters, ligatures;
 * - by letter case.
 */
export type Difference = 'hidden' | 'form' | 'case'

const DIFFERENCES = ['hidden', 'form', 'case'] as const
const IN_WORDS: Record<Difference, string> = {
  hidden: 'characters that do not show',
  form: 'the form of characters',
  case: 'letter case',
}

/** Shows nothing at all. U+FEFF is white space for JavaScript alone. */
const INVISIBLE = /[\p{DI}\ufff9-\ufffb]|(?![\s\u0085])\p{Cc}/gu
/** Shows as a blank: U+2800 is the empty Braille pattern. */
const BLANKS = /[\s\u0085\u2800]+/gu
/** Joiners and variation selectors have a meaning behind letters of many scripts, and within emoji. */
const MEANT = /(?<=\P{ASCII})[\p{Join_Control}\p{Variation_Selector}]/gu

/** What texts that differ in this way have in common. */
const KEYS: Record<Difference, (text: string) => string> = {
  hidden: (text) => text.normalize('NFC').replace(INVISIBLE, '').replace(BLANKS, ' ').trim(),
  form: (text) => KEYS.hidden(text.normalize('NFKC')),
  case: (text) => KEYS.form(text).toLowerCase(),
}

/** The same for all texts that differ in these ways alone. */
export const spellingKey = (text: string): string => KEYS.case(text)

/** How the texts differ, if they differ in one of these ways alone; else null. */
export function differenceOf(text: string, other: string): Difference | null {
  if (text === other) return null
  return DIFFERENCES.find((by) => KEYS[by](text) === KEYS[by](other)) ?? null
}

export interface Lookalike {
  text: string
  by: Difference
}

/** Finds the text among many that a given one is taken for. */
export class Lookalikes {
  readonly #byKey: ReadonlyMap<Difference, ReadonlyMap<string, readonly string[]>>

  /** @param texts the likeliest first */
  constructor(texts: Iterable<string>) {
    const all = [...texts]
    this.#byKey = new Map(DIFFERENCES.map((by) => [by, Map.groupBy(all, KEYS[by])]))
  }

  /** Null if there is none. The text itself is none. */
  of(text: string): Lookalike | null {
    for (const by of DIFFERENCES) {
      const other = this.#byKey
        .get(by)
        ?.get(KEYS[by](text))
        ?.find((one) => one !== text)
      if (other !== undefined) return { text: other, by }
    }
    return null
  }
}

/** The text without what does not show: as it was most likely meant. Empty if nothing of it shows. */
export function plainSpelling(text: string): string {
  const meant = new Set([...text.matchAll(MEANT)].map(({ index }) => index))
  return text
    .replace(INVISIBLE, (sign, at: number) => (meant.has(at) ? sign : ''))
    .replace(/[^\S ]|[\u0085\u2800]/gu, ' ')
    .trim()
    .normalize('NFC')
}

/** Of places that are named. */
const MOST_PLACES = 3

/** "characters that do not show: U+0020 SPACE at position 5"; positions are of the text, from 1 on, in characters. */
export function differenceInWords(text: string, other: string, by: Difference): string {
  const places = placesOf([...text], [...other])
  const named = places.slice(0, MOST_PLACES).map(placeInWords).join(', ')
  const more = places.length - MOST_PLACES
  return `${IN_WORDS[by]}: ${named}${more > 0 ? ` and ${more} more` : ''}`
}

/** As JSON in which each character shows. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replace(HIDDEN, (signs) =>
    Array.from({ length: signs.length }, (_, i) => `\\u${hex(signs.charCodeAt(i))}`).join(''),
  )

const HIDDEN = /[\p{DI}\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800]|(?! )\p{Zs}/gu

interface Place {
  position: number
  /** What stands there, and what the other text has in its place; one of the two may be empty. */
  here: string[]
  there: string[]
}

/** Where the texts differ, by their longest common subsequence. */
function placesOf(here: readonly string[], there: readonly string[]): Place[] {
  const common = commonLengths(here, there)
  const places: Place[] = []
  let [i, j] = [0, 0]
  let place: Place | null = null
  while (i < here.length || j < there.length) {
    if (i < here.length && j < there.length && here[i] === there[j]) {
      place = null
      i++
      j++
      continue
    }
    if (!place) {
      place = { position: i + 1, here: [], there: [] }
      places.push(place)
    }
    const isHere =
      j === there.length || (i < here.length && lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1))
    if (isHere) place.here.push(here[i++] as string)
    else place.there.push(there[j++] as string)
  }
  return places
}

/** Of the longest common subsequence of what follows from each pair of places on. */
function commonLengths(here: readonly string[], there: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: here.length + 1 }, () => new Uint16Array(there.length + 1))
  for (let i = here.length - 1; i >= 0; i--) {
    const [row, next] = [lengths[i] as Uint16Array, lengths[i + 1] as Uint16Array]
    for (let j = there.length - 1; j >= 0; j--) {
      const [below, beside, beyond] = [next[j], row[j + 1], next[j + 1]] as [number, number, number]
      row[j] = here[i] === there[j] ? beyond + 1 : Math.max(below, beside)
    }
  }
  return lengths
}

const lengthAt = (lengths: readonly Uint16Array[], i: number, j: number) => lengths[i]?.[j] as number

function placeInWords({ position, here, there }: Place): string {
  const at = `at position ${position}`
  if (there.length === 0) return `${signsInWords(here)} ${at}`
  if (here.length === 0) return `no ${signsInWords(there)} ${at}`
  return `${signsInWords(here)} in place of ${signsInWords(there)} ${at}`
}

const signsInWords = (signs: readonly string[]): string =>
  `${signs.slice(0, MOST_PLACES).map(signInWords).join(' ')}${signs.length > MOST_PLACES ? ' …' : ''}`

/** U+00E9 “é”, U+200B ZERO WIDTH SPACE. */
function signInWords(sign: string): string {
  const number = sign.codePointAt(0) as number
  const name = NAMES[number] ?? KINDS.find(([kind]) => kind.test(sign))?.[1] ?? `“${sign}”`
  return `U+${hex(number).toUpperCase()} ${name}`
}

const hex = (number: number) => number.toString(16).padStart(4, '0')

/** Of Unicode; those that are met most. */
const NAMES: Record<number, string> = {
  9: 'TAB',
  10: 'LINE FEED',
  13: 'CARRIAGE RETURN',
  32: 'SPACE',
  133: 'NEXT LINE',
  160: 'NO-BREAK SPACE',
  173: 'SOFT HYPHEN',
  8203: 'ZERO WIDTH SPACE',
  8204: 'ZERO WIDTH NON-JOINER',
  8205: 'ZERO WIDTH JOINER',
  8206: 'LEFT-TO-RIGHT MARK',
  8207: 'RIGHT-TO-LEFT MARK',
  8232: 'LINE SEPARATOR',
  8233: 'PARAGRAPH SEPARATOR',
  8239: 'NARROW NO-BREAK SPACE',
  8288: 'WORD JOINER',
  10240: 'BRAILLE PATTERN BLANK',
  12288: 'IDEOGRAPHIC SPACE',
  65279: 'ZERO WIDTH NO-BREAK SPACE (byte order mark)',
}

/** What a character without a name here is called. */
const KINDS: [RegExp, string][] = [
  [/\p{DI}/u, '(invisible)'],
  [/\p{Cc}/u, '(control)'],
  [/\s/u, '(white space)'],
  [/\p{M}/u, '(combining mark)'],
]
