import { isUtf8 } from 'node:buffer'
import { inSlices } from '../app/in-slices.ts'
import { MAX_PAYLOAD_BYTES } from '../domain/event.ts'
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts'
import { ServiceError, validationError } from '../errors.ts'
import { cutList, leastBytes, pathAt } from './json-text.ts'

/** Arrays and objects within each other. A contract's condition of 32 levels needs 66. */
const MAX_DEPTH = 128
/** Characters that are parsed at once; what is longer is done step by step. */
const SHORT = 64 * 1024
/** Characters of a body without its items, of an item, and of a line. */
const MAX_LENGTH = 1024 * 1024
/** Of the same, bytes as JSON without white space: as large as an event with the largest payload, but no larger. */
const MAX_BYTES = MAX_PAYLOAD_BYTES + 16 * 1024

/** A list in a body whose items are parsed each on its own. */
export interface ListOfItems {
  name: string
  /** Items at most. */
  most: number
}

/** A body with what stands for its items: the value, or why it cannot be taken. */
export type BodyOfItems = Json | { [list: string]: Json | (Json | ServiceError)[] }

/**
 * Parses a body and refuses what could not be stored and returned as it was sent: invalid UTF-8, NUL and lone
 * surrogates, numbers outside a double, integers that a double would change, and the key `__proto__`.
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE
 */
export const parseJson = async (bytes: Buffer): Promise<Json> => {
  const parsing = parseBytes(bytes, parseText)
  return bytes.length > SHORT ? inSlices(parsing) : atOnce(parsing)
}

/**
 * Parses a body with a list. What is wrong within an item is left to whoever takes up the item, since each stands
 * alone; but where one is not JSON, the body is none.
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE
 */
export const parseItems = async (bytes: Buffer, list: ListOfItems): Promise<BodyOfItems> => {
  const parsing = parseBytes(bytes, (text) => parseList(text, list))
  return bytes.length > SHORT ? inSlices(parsing) : atOnce(parsing)
}

/** Parses a line in steps. @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE */
export const parseLine = (bytes: Buffer): Generator<void, Json> => parseBytes(bytes, parseText)

function* parseBytes<Value>(
  bytes: Buffer,
  parsing: (text: string) => Generator<void, Value>,
): Generator<void, Value> {
  if (!isUtf8(bytes)) throw validationError([{ path: 'body', message: 'is not valid UTF-8' }])
  try {
    return yield* parsing(bytes.toString('utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw validationError([{ path: 'body', message: `is not valid JSON: ${error.message}` }])
  }
}

function atOnce<Value>(work: Iterator<void, Value>): Value {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

function* parseList(text: string, { name, most }: ListOfItems): Generator<void, BodyOfItems> {
  const cut = yield* cutList(text, name, most)
  if (!cut) throw validationError([{ path: name, message: `must have at most ${most} items` }])
  const body = yield* parseText(cut.rest)
  if (!isJsonObject(body) || !Array.isArray(body[name])) return body

  const items: (Json | ServiceError)[] = []
  for (const item of cut.items ?? []) {
    items.push(yield* parseItem(item))
    yield
  }
  return { ...body, [name]: items }
}

function* parseItem(text: string): Generator<void, Json | ServiceError> {
  try {
    return yield* parseText(text)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

/** @throws SyntaxError, VALIDATION_ERROR, PAYLOAD_TOO_LARGE */
function* parseText(text: string): Generator<void, Json> {
  const isLong = text.length > SHORT
  if (isLong) yield* refuseTooLarge(text)
  const value: Json = JSON.parse(text)
  if (isLong) yield
  requireExactNumbers(text)
  if (isLong) yield
  requireKeepable(value)
  return value
}

/** Refusing must be cheaper than parsing. */
function* refuseTooLarge(text: string): Generator<void, void> {
  const isTooLarge =
    text.length > MAX_BYTES && (text.trim().length > MAX_LENGTH || leastBytes(text) > MAX_BYTES)
  if (isTooLarge) {
    const message = `It has more than ${MAX_BYTES / 1024} KiB as JSON without white space.`
    throw new ServiceError('PAYLOAD_TOO_LARGE', message)
  }
  yield
}

/** Where a value may begin, a number that may lose digits in a double: of 16 characters or more, or with an exponent. */
const RISKY_NUMBER = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/
const STRING_OR_RISKY_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d(?:[\d.]{15}|[\d.]*[eE])[\d.eE+-]*/g

/** @throws VALIDATION_ERROR at the first number that would come back as another */
function requireExactNumbers(json: string): void {
  if (!RISKY_NUMBER.test(json)) return
  for (const { 0: token, index } of json.matchAll(STRING_OR_RISKY_NUMBER)) {
    if (token.startsWith('"') || !isLossy(token, Number(token))) continue
    const message = 'is a number that cannot be kept exactly; send it as a string'
    throw validationError([{ path: toPath(pathAt(json, index)), message }])
  }
}

function isLossy(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return true
  // As JavaScript writes it (2 ** 64 is 18446744073709552000) it comes back as it was sent.
  if (/^-?\d+$/.test(source)) return BigInt(source) !== BigInt(value) && source !== String(value)
  return value === 0 && /[1-9]/.test(source.replace(/[eE].*/, ''))
}

/** @throws VALIDATION_ERROR where something in the value cannot be stored and returned as it was sent */
function requireKeepable(value: Json): void {
  const flaw = findFlaw(value, 1)
  if (flaw) throw validationError([{ path: toPath(flaw.path), message: flaw.message }])
}

const toPath = (keys: (string | number)[]) => keys.reduce<string>(join, '') || 'body'

interface Flaw {
  path: (string | number)[]
  message: string
}

/** The first thing in the value that cannot be kept, with its path; null where there is none. */
function findFlaw(value: Json, depth: number): Flaw | null {
  if (typeof value === 'string') return flawOfText(value)
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_DEPTH) return { path: [], message: `is nested more than ${MAX_DEPTH} levels deep` }
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
