import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../domain/json.ts'
import { validationError } from '../errors.ts'

/** Arrays and objects within each other. A contract's condition of 32 levels needs 66. */
const MAX_DEPTH = 128
const TOO_DEEP = `is nested more than ${MAX_DEPTH} levels deep`

/** Where a value may begin, a number that may lose digits in a double: of 16 characters or more, or with an exponent. */
const RISKY_NUMBER = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/

/**
 * Parses a body and refuses what could not be stored and returned as it was sent: invalid UTF-8, NUL and lone
 * surrogates, numbers outside a double, integers that a double would change, and the key `__proto__`.
 * @throws VALIDATION_ERROR
 */
export function parseJson(bytes: Buffer): Json {
  const value = parseBytes(bytes)
  requireKeepable(value)
  return value
}

/**
 * Parses the body of a batch: what cannot be kept within its list of that name is left to whoever takes up the
 * item (`requireKeepable`), since each item stands alone.
 * @throws VALIDATION_ERROR
 */
export function parseBatch(bytes: Buffer, list: string): Json {
  const value = parseBytes(bytes)
  const isBatch = typeof value === 'object' && value !== null && !Array.isArray(value)
  requireKeepable(isBatch && Array.isArray(value[list]) ? { ...value, [list]: [] } : value)
  return value
}

/** @throws VALIDATION_ERROR where something in the value cannot be stored and returned as it was sent */
export function requireKeepable(value: Json): void {
  const flaw = findFlaw(value, 1)
  if (flaw) throw validationError([{ path: flaw.path.reduce(join, '') || 'body', message: flaw.message }])
}

/** Parses alone; whether it can be kept is for the caller to ask (`requireKeepable`). @throws VALIDATION_ERROR */
export function parseBytes(bytes: Buffer): Json {
  if (!isUtf8(bytes)) throw validationError([{ path: 'body', message: 'is not valid UTF-8' }])
  return parse(bytes.toString('utf8'))
}

function parse(text: string): Json {
  try {
    return RISKY_NUMBER.test(text) ? parseMarking(text) : JSON.parse(text)
  } catch (error) {
    if (error instanceof RangeError) throw validationError([{ path: 'body', message: TOO_DEEP }])
    throw validationError([{ path: 'body', message: `is not valid JSON: ${(error as SyntaxError).message}` }])
  }
}

/**
 * JSON.parse takes any depth, but not while it hands out the source of numbers. Where none is lost, the depth is found
 * in the value, as that of the item that has it.
 */
function parseMarking(text: string): Json {
  try {
    return JSON.parse(text, markLossyNumber)
  } catch (error) {
    if (error instanceof RangeError && !hasLossyNumber(text)) return JSON.parse(text)
    throw error
  }
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

const hasLossyNumber = (json: string): boolean =>
  json.matchAll(STRING_OR_NUMBER).some(([token]) => !token.startsWith('"') && isLossy(token, Number(token)))

/** A number that cannot be kept becomes Infinity, which JSON does not know: it is refused below, by its path. */
function markLossyNumber(_key: string, value: Json, { source }: { source?: string } = {}): Json {
  return typeof value === 'number' && source !== undefined && isLossy(source, value) ? Infinity : value
}

function isLossy(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return true
  // As JavaScript writes it (2 ** 64 is 18446744073709552000) it comes back as it was sent.
  if (/^-?\d+$/.test(source)) return BigInt(source) !== BigInt(value) && source !== String(value)
  return value === 0 && /[1-9]/.test(source.replace(/[eE].*/, ''))
}

interface Flaw {
  path: (string | number)[]
  message: string
}

/** The first thing in the value that cannot be kept, with its path; null where there is none. */
function findFlaw(value: Json, depth: number): Flaw | null {
  if (typeof value === 'string') return flawOfText(value)
  if (value === Infinity) {
    return { path: [], message: 'is a number that cannot be kept exactly; send it as a string' }
  }
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_DEPTH) return { path: [], message: TOO_DEEP }
  return Array.isArray(value) ? flawOfArray(value, depth) : flawOfObject(value, depth)
}

function flawOfArray(items: Json[], depth: number): Flaw | null {
  for (const [index, item] of items.entries()) {
    const flaw = findFlaw(item, depth + 1)
    if (flaw) return { path: [index, ...flaw.path], message: flaw.message }
  }
  return null
}

function flawOfObject(object: JsonObject, depth: number): Flaw | null {
  for (const key of Object.keys(object)) {
    if (key === '__proto__') return { path: [key], message: 'is not allowed as a key' }
    const flawOfKey = flawOfText(key)
    if (flawOfKey) return { path: [], message: `has a key that ${flawOfKey.message}` }
    const flaw = findFlaw(object[key] as Json, depth + 1)
    if (flaw) return { path: [key, ...flaw.path], message: flaw.message }
  }
  return null
}

/** PostgreSQL's text holds neither U+0000 nor half a surrogate pair. */
export function flawOfText(text: string): Flaw | null {
  if (text.includes('\0')) return { path: [], message: 'contains U+0000' }
  if (!text.isWellFormed()) return { path: [], message: 'contains a lone surrogate' }
  return null
}

/** `contract.fulfillment_condition.conditions[0]`: the form of every path in an error's details. */
export function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}
