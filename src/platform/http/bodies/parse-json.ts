import { isAscii, isUtf8 } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import { ServiceError, validationError } from '../../../kernel/errors.ts'
import { mayLoseDigits } from '../../../kernel/exact-numbers.ts'
import { isJsonObject, type Json, RawJson } from '../../../kernel/json.ts'
import { afterFirstValue } from '../../../kernel/json-flaws.ts'
import { MAX_EAGER_JSON_LENGTH } from '../../../kernel/limits.ts'
import { runCooperatively, runSync } from '../../concurrency/cooperative.ts'
import {
  MAX_BODY_BYTES,
  MAX_BYTES_PER_DECODE,
  MAX_CHARACTERS_PER_PARSE,
  MAX_JSON_BYTES,
  MAX_SYNC_BODY_BYTES,
} from '../limits.ts'
import { requireExactNumbers, requireStorable } from './json-flaws.ts'
import { minimumBytes, splitList } from './json-text.ts'

/** A list in a body whose items are parsed each on its own. */
export interface ListOfItems {
  name: string
  maxItems: number
  /** The handler processes one item at a time and keeps none. */
  isStreamed?: true
}

/** A parsed item, the error that rejects it, or a large valid item, which is parsed on demand. */
export type Item = Json | ServiceError | RawJson

/** A body with the `Item` of each item. */
export type BodyOfItems = Json | { [list: string]: Json | Item[] }

/**
 * Parses a body, and rejects content that cannot be stored and returned unchanged: invalid UTF-8, NUL and lone
 * surrogates, numbers outside a double, integers that a double would change, and the key `__proto__`.
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE
 */
export const parseJson = (bytes: Buffer): Json | Promise<Json> =>
  bytes.length > MAX_SYNC_BODY_BYTES
    ? runCooperatively(parseBytes(bytes, parseText))
    : parseAtOnce(bytes, parseShort)

/**
 * Parses a body with a list. The handler reports faults within an item, because each item is handled separately. If an item
 * is not JSON, neither is the body.
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE
 */
export const parseItems = (bytes: Buffer, list: ListOfItems): BodyOfItems | Promise<BodyOfItems> =>
  bytes.length > MAX_SYNC_BODY_BYTES
    ? runCooperatively(parseBytes(bytes, (text) => parseList(text, list)))
    : parseAtOnce(bytes, (text) => runSync(parseList(text, list)))

/** Parses a line in steps. @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE */
export const parseLine = (bytes: Buffer): Generator<void, Json> => parseBytes(bytes, parseText)

function* parseBytes<Value>(
  bytes: Buffer,
  parse: (text: string) => Generator<void, Value>,
): Generator<void, Value> {
  requireUtf8(bytes)
  const text = withoutByteOrderMark(yield* decode(bytes))
  try {
    return yield* parse(text)
  } catch (error) {
    throw asValidationError(error, text)
  }
}

/** Parses a short body in one step. Most bodies are short, and steps would cost more than parsing. */
function parseAtOnce<Value>(bytes: Buffer, parse: (text: string) => Value): Value {
  requireUtf8(bytes)
  const text = withoutByteOrderMark(bytes.toString('utf8'))
  try {
    return parse(text)
  } catch (error) {
    throw asValidationError(error, text)
  }
}

const BYTE_ORDER_MARK = '\ufeff'

/** RFC 8259 §8.1 allows a parser to skip it. Editors and exports on Windows write it. */
const withoutByteOrderMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text

const UTF_16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]

function requireUtf8(bytes: Buffer): void {
  if (isUtf8(bytes)) return
  const isUtf16 = UTF_16_MARKS.some((mark) => bytes.subarray(0, 2).equals(mark))
  const message = isUtf16
    ? 'is UTF-16; JSON must be sent as UTF-8'
    : 'is not valid UTF-8; JSON must be sent as UTF-8'
  throw validationError([{ path: 'body', message }])
}

const asValidationError = (error: unknown, text: string): unknown =>
  error instanceof SyntaxError ? validationError([{ path: 'body', message: messageOf(error, text) }]) : error

const ONE_VALUE =
  'a body, and each line of a stream, is one JSON value. curl keeps line breaks with --data-binary, not with -d'

function messageOf(error: SyntaxError, text: string): string {
  // A longer text is parsed in pieces, and the position counts from the start of the piece.
  const after = text.length > MAX_CHARACTERS_PER_PARSE ? null : afterFirstValue(text, error)
  if (after === null) return `is not valid JSON: ${reasonOf(error.message)}`
  const what = after.what === 'comma' ? 'a comma after its value' : 'a second value after the first'
  return `has ${what}, at character ${after.character}; ${ONE_VALUE}`
}

/** V8's message, without its prefix. */
const reasonOf = (message: string): string =>
  message
    .replace(/^Unexpected token (.+), (\.{0,3}".*"(?:\.\.\.)?) is not valid JSON$/s, 'unexpected $1 in $2')
    .replace(/^Unexpected end of JSON input$/, 'it ends too early')
    .replace(/(?: in)? JSON at position \d+ \((line \d+) (column \d+)\)$/, ' at $1, $2')

function* decode(bytes: Buffer): Generator<void, string> {
  if (bytes.length <= MAX_BYTES_PER_DECODE || isAscii(bytes)) return bytes.toString('utf8')
  const decoder = new StringDecoder('utf8')
  let text = ''
  for (let from = 0; from < bytes.length; from += MAX_BYTES_PER_DECODE) {
    text += decoder.write(bytes.subarray(from, from + MAX_BYTES_PER_DECODE))
    yield
  }
  return text
}

function* parseList(text: string, { name, maxItems }: ListOfItems): Generator<void, BodyOfItems> {
  if (text.length <= MAX_CHARACTERS_PER_PARSE && !mayLoseDigits(text))
    return parseShortList(text, { name, maxItems })
  const cut = yield* splitList(text, name, maxItems)
  const body = yield* parseText(cut.rest)
  for (const piece of cut.skippedPieces) {
    // The leading item makes an empty piece invalid JSON.
    yield* parseItem(`[0,${piece}]`)
    yield
  }
  if (!isJsonObject(body) || !Array.isArray(body[name])) return body
  if (cut.isTooLong) throw tooManyItems(name, maxItems)

  const items: Item[] = []
  for (const item of cut.items ?? []) {
    const parsed = yield* parseItem(item)
    const isHeavy = item.length > MAX_EAGER_JSON_LENGTH && !(parsed instanceof ServiceError)
    items.push(isHeavy ? new RawJson(item) : parsed)
    yield
  }
  return { ...body, [name]: items }
}

/** For a short text without suspicious numbers: parsed whole, which is faster. */
function parseShortList(text: string, { name, maxItems }: ListOfItems): BodyOfItems {
  const body: Json = JSON.parse(text)
  const items = isJsonObject(body) ? body[name] : undefined
  if (!isJsonObject(body) || !Array.isArray(items)) {
    requireStorable(body)
    return body
  }
  requireStorable({ ...body, [name]: [] })
  if (items.length > maxItems) throw tooManyItems(name, maxItems)
  return { ...body, [name]: items.map(storableItem) }
}

function storableItem(item: Json): Json | ServiceError {
  try {
    requireStorable(item)
    return item
  } catch (error) {
    return error as ServiceError
  }
}

const tooManyItems = (name: string, maxItems: number) =>
  validationError([{ path: name, message: `must have at most ${maxItems} items` }])

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
  if (text.length <= MAX_CHARACTERS_PER_PARSE) return parseShort(text)
  yield* refuseTooLarge(text)
  const value: Json = JSON.parse(text)
  yield
  if (mayLoseDigits(text)) yield* requireExactNumbers(text)
  yield
  requireStorable(value)
  return value
}

/** @throws SyntaxError, VALIDATION_ERROR */
function parseShort(text: string): Json {
  const value: Json = JSON.parse(text)
  if (mayLoseDigits(text)) runSync(requireExactNumbers(text))
  requireStorable(value)
  return value
}

/** Refusing must be cheaper than parsing. */
function* refuseTooLarge(text: string): Generator<void, void> {
  const isTooLarge =
    text.length > MAX_JSON_BYTES &&
    (text.trim().length > MAX_BODY_BYTES || minimumBytes(text) > MAX_JSON_BYTES)
  if (isTooLarge) {
    const message = `It has more than ${MAX_JSON_BYTES / 1024} KiB as JSON without white space.`
    throw new ServiceError('PAYLOAD_TOO_LARGE', message)
  }
  yield
}
