/*
 * Looks at JSON as text, when parsing it would come too early: of what is not JSON they say something, and JSON.parse
 * says that it is none.
 */

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** JSON's white space: there is more in Unicode. */
const NOTHING = /^[ \t\n\r]*$/
/** Characters that are looked at in one step. */
const STEP = 0x10000

export interface CutBody {
  /** The body with its list empty. */
  rest: string
  /** The items of the list, each as it stands; null if the body has no such list. */
  items: string[] | null
  /** Whether there are more than were wanted: those are left out. */
  isTooLong: boolean
  /** What stands in lists of the same name before it, in pieces of some items each: the last one counts. */
  passedOver: string[]
}

/**
 * Cuts the items out of a body `{"<list>": […]}`, up to `most` of them. The body is JSON if and only if the rest and
 * every item are, also those that are passed over.
 */
export function* cutList(text: string, name: string, most: number): Generator<void, CutBody> {
  let rest = ''
  const passedOver: string[] = []
  let list: CutItems | null = null
  let restFrom = 0
  let isInList = false
  let key = ''
  let depth = 0
  let isObject = false
  for (let i = 0, next = STEP; i < text.length; i++) {
    if (i >= next) {
      next = i + STEP
      yield
    }
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const from = i
        i = endOfString(text, i)
        if (depth === 1) key = text.slice(from, i + 1)
        break
      }
      case OPEN_OBJECT:
        if (depth === 0) isObject = true
        depth++
        break
      case OPEN_LIST:
        if (depth === 1 && isObject && isName(key, name)) {
          passedOver.push(...(list?.pieces ?? []))
          list = new CutItems(text, i + 1, most)
          rest += text.slice(restFrom, i + 1)
          isInList = true
        }
        depth++
        break
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth--
        if (depth === 1 && isInList) {
          list?.end(i)
          restFrom = i
          isInList = false
        }
        break
      case COMMA:
        if (depth === 2 && isInList) list?.endItem(i)
    }
  }
  rest += text.slice(restFrom)
  return { rest, items: list?.items ?? null, isTooLong: list?.isTooLong ?? false, passedOver }
}

/** The items of one list, of which many more may come than are wanted. */
class CutItems {
  readonly items: string[] = []
  isTooLong = false
  /** All of it, cut between items: no longer than a step, but for items that are. */
  readonly pieces: string[] = []
  readonly #text: string
  readonly #most: number
  #itemFrom: number
  #pieceFrom: number

  constructor(text: string, from: number, most: number) {
    this.#text = text
    this.#most = most
    this.#itemFrom = from
    this.#pieceFrom = from
  }

  endItem(end: number): void {
    if (this.items.length < this.#most) this.items.push(this.#text.slice(this.#itemFrom, end))
    else this.isTooLong = true
    if (end - this.#pieceFrom > STEP && this.#itemFrom > this.#pieceFrom) {
      this.pieces.push(this.#text.slice(this.#pieceFrom, this.#itemFrom - 1))
      this.#pieceFrom = this.#itemFrom
    }
    this.#itemFrom = end + 1
  }

  end(end: number): void {
    // Between the brackets of an empty list is nothing; an item that is nothing is not JSON.
    if (this.items.length === 0 && NOTHING.test(this.#text.slice(this.#itemFrom, end))) return
    this.endItem(end)
    this.pieces.push(this.#text.slice(this.#pieceFrom, end))
  }
}

function isName(key: string, name: string): boolean {
  if (!key.includes('\\')) return key === `"${name}"`
  try {
    return JSON.parse(key) === name
  } catch {
    return false
  }
}

/** Where the string that begins here ends. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

/** The least bytes that the value takes as JSON without white space. */
export function leastBytes(text: string): number {
  let bytes = 0
  let isInScalar = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const wasInScalar = isInScalar
    isInScalar = false
    switch (code) {
      case QUOTE: {
        const from = i
        i = endOfString(text, i)
        bytes += 1 + i - from - sparedByEscapes(text.slice(from, i))
        break
      }
      case OPEN_OBJECT:
      case CLOSE_OBJECT:
      case OPEN_LIST:
      case CLOSE_LIST:
      case COMMA:
      case COLON:
        bytes++
        break
      default:
        // However a number is spelled, one digit of it remains.
        isInScalar = code > SPACE
        if (isInScalar && !wasInScalar) bytes++
    }
  }
  return bytes
}

/** Of an escape as long as `\u0041` a byte remains. */
function sparedByEscapes(string: string): number {
  let spared = 0
  for (let i = string.indexOf('\\'); i >= 0; i = string.indexOf('\\', i)) {
    const length = string[i + 1] === 'u' ? 6 : 2
    spared += length - 1
    i += length
  }
  return spared
}

/** The keys and indexes that lead to the value at this place of the text, which is JSON. */
export function pathAt(text: string, place: number): (string | number)[] {
  const path: (string | number)[] = []
  let string = ''
  for (let i = 0; i < place; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const from = i
        i = endOfString(text, i)
        string = text.slice(from, i + 1)
        break
      }
      case COLON:
        path[path.length - 1] = JSON.parse(string)
        break
      case OPEN_OBJECT:
        path.push('')
        break
      case OPEN_LIST:
        path.push(0)
        break
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        path.pop()
        break
      case COMMA: {
        const last = path.at(-1)
        if (typeof last === 'number') path[path.length - 1] = last + 1
      }
    }
  }
  return path
}
