import type { Json } from '../../../kernel/json.ts'
import { listFirst } from '../../../kernel/text.ts'
import { MAX_SHOWN_DIFFERENCES } from '../../limits.ts'

/**
 * How texts differ that look alike to people. The service compares types and texts exactly, so "done " and "done" are two types.
 * Two texts differ only
 *
 * - by invisible characters: white space, control characters, zero-width characters, or the Unicode form (é as one character or two);
 * - by the form of characters: full-width letters, ligatures, letters of other alphabets that look Latin, dashes, quotes;
 * - by letter case.
 */
export type Difference = 'hidden' | 'form' | 'case'

const DIFFERENCES = ['hidden', 'form', 'case'] as const
const IN_WORDS: Record<Difference, string> = {
  hidden: 'invisible characters',
  form: 'the form of characters',
  case: 'letter case',
}

/** Characters without a glyph or width. U+FEFF is white space in JavaScript only. */
const INVISIBLE = /[\p{DI}\ufff9-\ufffb]|(?![\s\u0085])\p{Cc}/gu
/** U+2800 is the empty Braille pattern. */
const WHITE_SPACE = /[\s\u0085\u2800]+/gu
/** Joiners and variation selectors have a meaning after letters of many scripts, and within emoji. */
const MEANINGFUL = /(?<=\P{ASCII})[\p{Join_Control}\p{Variation_Selector}]/gu

/** Small letters of other alphabets by the Latin ones that they look like, at least as capitals; İ, dashes, quotes and slashes. */
const ASCII_LOOKALIKES = new Map(
  Object.entries({
    ...pairs('авеіјкмнорстухѕһԁԛԝ', 'abeijkmhopctyxshdqw'),
    ...pairs('αβεζηικνορτυχ', 'abezhiknoptyx'),
    ...pairs('ıİ', 'iI'),
    ...pairs('‐‑‒–—―−‘’‛ʼ“”„‟⁄∕', `-------''''""""//`),
  }),
)
const MAY_LOOK_LIKE_ASCII = /[ıİʼ\u0370-\u052f\u2010-\u201f\u2044\u2212\u2215]/gu

/** Fast path for most texts: printable ASCII with single spaces, which differs from another such text only by letter case. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/

/** Equal for texts that differ only in this way. */
const KEYS: Record<Difference, (text: string) => string> = {
  hidden: (text) =>
    PLAIN.test(text) ? text : text.normalize('NFC').replace(INVISIBLE, '').replace(WHITE_SPACE, ' ').trim(),
  form: (text) =>
    PLAIN.test(text)
      ? text
      : KEYS.hidden(text.normalize('NFKC')).replace(MAY_LOOK_LIKE_ASCII, asciiLookalike),
  case: (text) => KEYS.form(text).toLowerCase(),
}

function pairs(characters: string, ascii: string): Record<string, string> {
  return Object.fromEntries([...characters].map((character, i) => [character, ascii[i] as string]))
}

function asciiLookalike(character: string): string {
  const small = character.toLowerCase()
  const found = ASCII_LOOKALIKES.get(character) ?? ASCII_LOOKALIKES.get(small)?.toUpperCase()
  return found ?? character
}

/** Equal for texts that differ only in these ways. */
export const spellingKey = (text: string): string => KEYS.case(text)

/** How two texts differ; null if they are equal or differ in another way. */
export function differenceOf(text: string, other: string): Difference | null {
  if (text === other) return null
  return DIFFERENCES.find((by) => KEYS[by](text) === KEYS[by](other)) ?? null
}

export interface Lookalike {
  text: string
  by: Difference
}

/** Finds texts that look like a given one. */
export class Lookalikes {
  readonly #byKey: ReadonlyMap<Difference, ReadonlyMap<string, readonly string[]>>

  /** @param texts the most likely first */
  constructor(texts: Iterable<string>) {
    const all = [...texts]
    this.#byKey = new Map(DIFFERENCES.map((by) => [by, Map.groupBy(all, KEYS[by])]))
  }

  /** Another text that looks like this one; null if there is none. */
  find(text: string): Lookalike | null {
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

/** The text without invisible characters. Empty if all of them are invisible. */
export function plainSpelling(text: string): string {
  if (PLAIN.test(text)) return text
  const meaningful = new Set([...text.matchAll(MEANINGFUL)].map(({ index }) => index))
  return text
    .replace(INVISIBLE, (character, at: number) => (meaningful.has(at) ? character : ''))
    .replace(/[^\S ]|[\u0085\u2800]/gu, ' ')
    .trim()
    .normalize('NFC')
}

/** "invisible characters: U+0020 SPACE at position 5"; positions are characters of `text`, counted from 1. */
export function differenceInWords(text: string, other: string, by: Difference): string {
  const places = placesOf([...text], [...other]).map(placeInWords)
  return `${IN_WORDS[by]}: ${listFirst(places, MAX_SHOWN_DIFFERENCES)}`
}

/** As JSON with invisible characters escaped. */
export const quoted = (value: Json): string =>
  JSON.stringify(value).replace(HIDDEN, (characters) =>
    Array.from({ length: characters.length }, (_, i) => `\\u${hex(characters.charCodeAt(i))}`).join(''),
  )

const HIDDEN = /[\p{DI}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu

interface Place {
  position: number
  /** The characters of either text at this position; one of the two may be empty. */
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

/** The length of the longest common subsequence of the rests of both texts, for each pair of positions. */
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
  if (there.length === 0) return `${charactersInWords(here)} ${at}`
  if (here.length === 0) return `no ${charactersInWords(there)} ${at}`
  return `${charactersInWords(here)} in place of ${charactersInWords(there)} ${at}`
}

const charactersInWords = (characters: readonly string[]): string =>
  `${characters.slice(0, MAX_SHOWN_DIFFERENCES).map(characterInWords).join(' ')}${characters.length > MAX_SHOWN_DIFFERENCES ? ' …' : ''}`

/** U+00E9 “é”, U+200B ZERO WIDTH SPACE. */
function characterInWords(character: string): string {
  const number = character.codePointAt(0) as number
  const name = NAMES[number] ?? KINDS.find(([kind]) => kind.test(character))?.[1] ?? `“${character}”`
  return `U+${hex(number).toUpperCase()} ${name}`
}

const hex = (number: number) => number.toString(16).padStart(4, '0')

/** Unicode names of the most frequent ones. */
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

/** For characters that are not in NAMES. */
const KINDS: [RegExp, string][] = [
  [/\p{DI}/u, '(invisible)'],
  [/\p{Cc}/u, '(control)'],
  [/\s/u, '(white space)'],
  [/\p{M}/u, '(combining mark)'],
]
