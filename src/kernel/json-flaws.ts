import type { Json, JsonObject } from './json.ts'
import { MAX_JSON_DEPTH } from './limits.ts'

/* JSON that PostgreSQL cannot store, or that cannot be returned unchanged (§8). Numbers: `exact-numbers.ts`. */

/** An escaped NUL or surrogate, and the key `__proto__` with or without escapes. */
const SUSPICIOUS = /\\u(?:0000|00[56]f|007[024]|d[89a-f])|__proto__/i

/** A quick test: if false, the value has no flaw. */
export function mayHaveFlaw(json: string): boolean {
  if (SUSPICIOUS.test(json)) return true
  let openings = 0
  for (const bracket of ['{', '['])
    for (let at = json.indexOf(bracket); at !== -1; at = json.indexOf(bracket, at + 1))
      if (++openings > MAX_JSON_DEPTH) return true
  return false
}

export interface JsonFlaw {
  /** The keys and indexes that lead to the value. */
  path: (string | number)[]
  kind: 'character' | 'key' | 'depth'
  message: string
}

/** The first flaw of the value; null if it has none. */
export const findJsonFlaw = (value: Json): JsonFlaw | null => findFlaw(value, 1)

function findFlaw(value: Json, depth: number): JsonFlaw | null {
  if (typeof value === 'string') return flawOfText(value)
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_JSON_DEPTH)
    return { path: [], kind: 'depth', message: `is nested more than ${MAX_JSON_DEPTH} levels deep` }
  return Array.isArray(value) ? flawOfArray(value, depth) : flawOfObject(value, depth)
}

/** Allocates nothing for an item or a key: a megabyte may hold hundreds of thousands. */
function flawOfArray(items: Json[], depth: number): JsonFlaw | null {
  for (let index = 0; index < items.length; index++) {
    const flaw = findFlaw(items[index] as Json, depth + 1)
    if (flaw) return { ...flaw, path: [index, ...flaw.path] }
  }
  return null
}

function flawOfObject(object: JsonObject, depth: number): JsonFlaw | null {
  for (const key in object) {
    if (key === '__proto__') return { path: [key], kind: 'key', message: 'is not allowed as a key' }
    const flawOfKey = flawOfText(key)
    if (flawOfKey) return { ...flawOfKey, message: `has a key that ${flawOfKey.message}` }
    const flaw = findFlaw(object[key] as Json, depth + 1)
    if (flaw) return { ...flaw, path: [key, ...flaw.path] }
  }
  return null
}

/** PostgreSQL's text holds neither U+0000 nor half a surrogate pair. */
export function flawOfText(text: string): JsonFlaw | null {
  if (text.includes('\0')) return { path: [], kind: 'character', message: 'contains U+0000' }
  if (!text.isWellFormed()) return { path: [], kind: 'character', message: 'contains a lone surrogate' }
  return null
}

/* Why a text is not JSON: the message of V8's parser with the place in characters. */

const AFTER_VALUE = /^Unexpected non-whitespace character after JSON at position (\d+)/
const UNEXPECTED = /^Unexpected token '(.+)', (\.{0,3}".*"(?:\.\.\.)?) is not valid JSON$/su
const AT_POSITION = /(?: in JSON)? at position (\d+)(?: \(line \d+ column \d+\))?$/
const VALUE_START = /[[{"\dtfn-]/

/** The position after the first value of the text, and whether a comma or a second value follows. Null for other errors. */
export function afterFirstValue(
  text: string,
  { message }: Error,
): { what: 'comma' | 'value'; character: number } | null {
  const [, position] = AFTER_VALUE.exec(message) ?? []
  if (position === undefined) return null
  const next = text[Number(position)] ?? ''
  const character = Number(position) + 1
  if (next === ',') return { what: 'comma', character }
  return VALUE_START.test(next) ? { what: 'value', character } : null
}

/** "unexpected 'N' in ...\"cost\":NaN}" for the error with which `JSON.parse` refused the text. */
export function jsonSyntaxFault(text: string, error: Error): string {
  const after = afterFirstValue(text, error)
  if (after !== null) {
    const what = after.what === 'comma' ? 'a comma follows the value' : 'a second value follows the first'
    return `${what}, at character ${after.character}`
  }
  return error.message
    .replace(UNEXPECTED, (_, token: string, context: string) => `unexpected ${shown(token)} in ${context}`)
    .replace(AT_POSITION, (_, position) => `, at character ${Number(position) + 1}`)
    .replace(/^Unexpected end of JSON input$/, 'the text ends too early')
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
}

const shown = (token: string): string =>
  /[\p{Cc}\p{Cf}]/u.test(token)
    ? `U+${(token.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
    : `'${token}'`
