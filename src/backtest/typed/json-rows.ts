import { isLossy, mayLoseDigits } from '../../kernel/exact-numbers.ts'
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../kernel/json.ts'
import { jsonSyntaxFault, mayHaveFlaw } from '../../kernel/json-flaws.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { shownNames } from '../csv/csv-dialect.ts'
import { Examples } from '../field-statistics.ts'
import { MAX_TEXT_LENGTH } from '../limits.ts'
import type { TextDecoding } from '../log/decode-text.ts'
import {
  type ColumnNames,
  faultOfValue,
  findLikelyIdName,
  type LogRow,
  lossyNumber,
  type RowFault,
  readLikelyId,
} from '../log/log-row.ts'
import { repeatedKey } from './repeated-keys.ts'
import type { TypedRows } from './typed-rows.ts'

/** Reads the rows of a JSON or NDJSON log. */
export class JsonRows {
  readonly #names: ColumnNames
  readonly #rows: TypedRows
  readonly #decoding: TextDecoding
  #isFirstRead = false
  readonly #findsLikelyId: boolean
  /** The field that `--event-id` should probably name. */
  likelyIdName: string | undefined
  /** Rows with a key that an object has twice, by the key. */
  readonly repeatedKeys = new Examples()

  constructor(names: ColumnNames, rows: TypedRows, decoding: TextDecoding, findsLikelyId: boolean) {
    this.#names = names
    this.#rows = rows
    this.#decoding = decoding
    this.#findsLikelyId = findsLikelyId
  }

  /** An event, or why the row is skipped. @throws OperatorError if the first row lacks a field of the options */
  read(text: string, line: number): LogRow | RowFault {
    const undecodable = this.#decoding.isDamaged ? this.#decoding.faultOf(text) : null
    if (undecodable) return undecodable
    const fields = parseObject(text)
    if (typeof fields === 'string') return { reason: 'not a JSON object', detail: fields }
    const repeated = repeatedKey(text, fields)
    if (repeated !== null) this.repeatedKeys.add(repeated, line)
    if (!this.#isFirstRead) this.#readNames(fields)
    this.#isFirstRead = true
    const { case: caseName, type: typeName, time: timeName, openedAt: openingName } = this.#names
    const { eventId: idName } = this.#names
    const fault =
      (mayHaveFlaw(text) ? faultOfValue(fields) : null) ??
      (mayLoseDigits(text)
        ? keepExactNumbers(text, fields, [caseName, typeName, timeName, openingName, idName])
        : null) ??
      faultOfName(fields, caseName, 'no case', 'a case') ??
      faultOfName(fields, typeName, 'no event type', 'a type') ??
      faultOfName(fields, timeName, 'bad time', 'a time') ??
      faultOfOptional(fields, openingName, 'bad opening time', 'an opening time') ??
      faultOfOptional(fields, idName, 'bad event id', 'an event id')
    if (fault) return fault
    const [caseId, type, time] = [
      nameOf(fields, caseName),
      nameOf(fields, typeName),
      nameOf(fields, timeName),
    ]
    const openedAt = openingName === undefined ? '' : nameOf(fields, openingName)
    const likelyId =
      this.likelyIdName === undefined ? undefined : readLikelyId(nameOf(fields, this.likelyIdName))
    const id = idName === undefined ? (likelyId ?? '') : nameOf(fields, idName)
    return this.#rows.read({ caseId, type, time, openedAt, id, fields, line })
  }

  /** If the first row lacks a field, the option is probably wrong. */
  #readNames(fields: JsonObject): void {
    const { case: caseName, type, time } = this.#names
    const others = Object.keys(fields).filter((name) => ![caseName, type, time].includes(name))
    if (this.#findsLikelyId) this.likelyIdName = findLikelyIdName(others)
    for (const [option, name] of Object.entries({ '--case': caseName, '--type': type, '--time': time })) {
      if (fieldOf(fields, name) !== undefined) continue
      const names = shownNames(Object.keys(fields))
      throw new OperatorError(`the log's first line has no field "${name}" (${option}); it has: ${names}`)
    }
  }
}

/** The object, or why the text is not one. */
function parseObject(text: string): JsonObject | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return `not JSON: ${text === '' ? 'nothing is between two commas' : jsonSyntaxFault(text, error as Error)}`
  }
  return isJsonObject(value) ? value : `not a JSON object, but ${shownValue(value as Json)}`
}

/**
 * Keeps numbers that are ids or times as they are written, with all digits. In other fields the service refuses numbers that a
 * double cannot hold (§8). Returns the fault.
 */
function keepExactNumbers(
  text: string,
  fields: JsonObject,
  own: readonly (string | undefined)[],
): RowFault | null {
  const changed: { holder: unknown; key: string; source: string; value: number }[] = []
  const root: unknown = JSON.parse(text, function (this: unknown, key, value, context?: { source?: string }) {
    const source = context?.source
    if (typeof value === 'number' && source !== undefined && source !== String(value))
      changed.push({ holder: this, key, source, value })
    return value
  })
  for (const { holder, key, source, value } of changed) {
    if (holder === root && own.includes(key)) fields[key] = source
    else if (isLossy(source, value)) return lossyNumber(source)
  }
  return null
}

/** The field of this name, or else the value at this path of keys, joined by dots. */
function fieldOf(fields: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : valueAt(fields, name.split('.'))
}

/** A case may be a number, and a time a Unix time. Empty for values of other types. */
function nameOf(fields: JsonObject, name: string): string {
  const value = fieldOf(fields, name)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Of a field that not every row must have. */
function faultOfOptional(
  fields: JsonObject,
  name: string | undefined,
  reason: RowFault['reason'],
  what: string,
): RowFault | null {
  const isAbsent = name === undefined || (fieldOf(fields, name) ?? null) === null
  return isAbsent ? null : faultOfName(fields, name, reason, what)
}

function faultOfName(
  fields: JsonObject,
  name: string,
  reason: RowFault['reason'],
  what: string,
): RowFault | null {
  const value = fieldOf(fields, name)
  if (typeof value === 'string' || typeof value === 'number') return null
  if (value === undefined) return { reason, detail: `the row has no "${name}"` }
  const [key] = isJsonObject(value) ? Object.keys(value) : []
  const inside = key === undefined ? '' : `; "${name}.${key}" names a value in it`
  return {
    reason,
    detail: `"${name}" is ${shownValue(value)}, but ${what} must be a string or a number${inside}`,
  }
}

function shownValue(value: Json): string {
  const text = JSON.stringify(value)
  const shown = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text
  if (Array.isArray(value)) return `an array (${shown})`
  return isJsonObject(value) ? `an object (${shown})` : shown
}
