/*
 * Scans JSON as text before it is parsed. The results for invalid JSON are arbitrary, because JSON.parse rejects it
 * later.
 */
import { MAX_CHARACTERS_PER_SCAN } from '../limits.ts'

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** JSON's white space. Unicode has more. */
const WHITE_SPACE = /^[ \t\n\r]*$/

export interface SplitBody {
  /** The body with an empty list. */
  rest: string
  /** The text of each item. Null if the body has no such list. */
  items: string[] | null
  /** Whether the list has more than `maxItems` items. Further items are dropped. */
  isTooLong: boolean
  /** The contents of earlier lists with the same name, in pieces of several items each. JSON.parse keeps the last list. */
  skippedPieces: string[]
}

/**
 * Splits a body `{"<list>": […]}` into the items of its list, up to `maxItems`, and the rest. The body is valid JSON if
 * and only if the rest, every item and every skipped piece are valid.
 */
export function* splitList(text: string, name: string, maxItems: number): Generator<void, SplitBody> {
  let rest = ''
  const skippedPieces: string[] = []
  let list: ListSplitter | null = null
  let restStart = 0
  let isInList = false
  let key = ''
  let depth = 0
  let isObject = false
  for (let i = 0, next = MAX_CHARACTERS_PER_SCAN; i < text.length; i++) {
    if (i >= next) {
      next = i + MAX_CHARACTERS_PER_SCAN
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
      case OPEN_ARRAY:
        if (depth === 1 && isObject && isName(key, name)) {
          skippedPieces.push(...(list?.pieces ?? []))
          list = new ListSplitter(text, i + 1, maxItems)
          rest += text.slice(restStart, i + 1)
          isInList = true
        }
        depth++
        break
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--
        if (depth === 1 && isInList) {
          list?.end(i)
          restStart = i
          isInList = false
        }
        break
      case COMMA:
        if (depth === 2 && isInList) list?.endItem(i)
    }
  }
  rest += text.slice(restStart)
  return { rest, items: list?.items ?? null, isTooLong: list?.isTooLong ?? false, skippedPieces }
}

/** Collects the items of one list, up to `maxItems`. */
class ListSplitter {
  readonly items: string[] = []
  isTooLong = false
  /** The content of the list, split between items into pieces of about a step. A longer item is one piece. */
  readonly pieces: string[] = []
  readonly #text: string
  readonly #maxItems: number
  #itemStart: number
  #pieceStart: number

  constructor(text: string, from: number, maxItems: number) {
    this.#text = text
    this.#maxItems = maxItems
    this.#itemStart = from
    this.#pieceStart = from
  }

  endItem(end: number): void {
    if (this.items.length < this.#maxItems) this.items.push(this.#text.slice(this.#itemStart, end))
    else this.isTooLong = true
    if (end - this.#pieceStart > MAX_CHARACTERS_PER_SCAN && this.#itemStart > this.#pieceStart) {
      this.pieces.push(this.#text.slice(this.#pieceStart, this.#itemStart - 1))
      this.#pieceStart = this.#itemStart
    }
    this.#itemStart = end + 1
  }

  end(end: number): void {
    // An empty list has no items. In other lists an empty item is not JSON.
    if (this.items.length === 0 && WHITE_SPACE.test(this.#text.slice(this.#itemStart, end))) return
    this.endItem(end)
    this.pieces.push(this.#text.slice(this.#pieceStart, end))
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

/** The end of the string that begins here. */
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

/** The minimum bytes of the value as JSON without white space. */
export function minimumBytes(text: string): number {
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
        bytes += 1 + i - from - bytesSavedByUnescaping(text.slice(from, i))
        break
      }
      case OPEN_OBJECT:
      case CLOSE_OBJECT:
      case OPEN_ARRAY:
      case CLOSE_ARRAY:
      case COMMA:
      case COLON:
        bytes++
        break
      default:
        // Every spelling of a number has at least one digit.
        isInScalar = code > SPACE
        if (isInScalar && !wasInScalar) bytes++
    }
  }
  return bytes
}

/** An escape such as `\u0041` stands for at least one byte. */
function bytesSavedByUnescaping(string: string): number {
  let saved = 0
  for (let i = string.indexOf('\\'); i >= 0; i = string.indexOf('\\', i)) {
    const length = string[i + 1] === 'u' ? 6 : 2
    saved += length - 1
    i += length
  }
  return saved
}

/** The keys and indexes that lead to a position in valid JSON. */
export function pathAt(text: string, offset: number): (string | number)[] {
  const path: (string | number)[] = []
  let string = ''
  for (let i = 0; i < offset; i++) {
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
      case OPEN_ARRAY:
        path.push(0)
        break
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
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
