import { isLossy, mayLoseDigits } from '../../../domain/exact-numbers.ts'
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../../domain/json.ts'
import { jsonSyntaxFault } from '../../../domain/json-syntax.ts'
import { OperatorError } from '../../../operator-error.ts'
import { shownNames } from '../csv/csv-dialect.ts'
import type { TextDecoding } from '../log/decode-text.ts'
import type { ColumnNames, LogRow, RowFault } from '../log/log-row.ts'
import { lossyNumber } from '../log/row-faults.ts'
import type { TypedRows } from './typed-rows.ts'

/** Texts without a match hold nothing that a string may not have. */
const SUSPICIOUS = /\\u0000|\\ud[89a-f]|\uFDD0/i
const MAX_SHOWN_VALUE = 60

/** Reads JSON objects as rows. */
export class JsonRows {
  readonly #names: ColumnNames
  readonly #rows: TypedRows
  readonly #decoding: TextDecoding
  #isFirstRead = false

  constructor(names: ColumnNames, rows: TypedRows, decoding: TextDecoding) {
    this.#names = names
    this.#rows = rows
    this.#decoding = decoding
  }

  /** One row of the log, or why it is left out. @throws OperatorError if the first has other fields. */
  read(text: string, line: number): LogRow | RowFault {
    const fields = parseObject(text)
    if (typeof fields === 'string') return { reason: 'not a JSON object', detail: fields }
    if (!this.#isFirstRead) this.#checkNames(fields)
    this.#isFirstRead = true
    const { case: caseName, type: typeName, time: timeName, openedAt: openingName } = this.#names
    const fault =
      (SUSPICIOUS.test(text) ? this.#faultOfTexts(fields) : null) ??
      (mayLoseDigits(text) ? keepExactNumbers(text, fields, [caseName, typeName, timeName]) : null) ??
      faultOfName(fields, caseName, 'no case', 'a case') ??
      faultOfName(fields, typeName, 'no event type', 'a type') ??
      faultOfName(fields, timeName, 'bad time', 'a time')
    if (fault) return fault
    const [caseId, type, time] = [
      nameOf(fields, caseName),
      nameOf(fields, typeName),
      nameOf(fields, timeName),
    ]
    const openedAt = openingName === undefined ? '' : nameOf(fields, openingName)
    return this.#rows.read({ caseId, type, time, openedAt, fields, line })
  }

  /** A name that the first line lacks is more likely a wrong option than a bad row. */
  #checkNames(fields: JsonObject): void {
    const { case: caseName, type, time } = this.#names
    for (const [option, name] of Object.entries({ '--case': caseName, '--type': type, '--time': time })) {
      if (fieldOf(fields, name) !== undefined) continue
      const names = shownNames(Object.keys(fields))
      throw new OperatorError(`the log's first line has no field "${name}" (${option}); it has: ${names}`)
    }
  }

  #faultOfTexts(value: Json): RowFault | null {
    if (typeof value === 'string') return this.#decoding.faultOf(value)
    if (typeof value !== 'object' || value === null) return null
    for (const [key, item] of Object.entries(value)) {
      const fault = this.#decoding.faultOf(key) ?? this.#faultOfTexts(item)
      if (fault) return fault
    }
    return null
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
 * Ids and times of more digits than a double holds stay as they are written; elsewhere the service refuses such numbers
 * (§8). Returns the fault.
 */
function keepExactNumbers(text: string, fields: JsonObject, own: readonly string[]): RowFault | null {
  const lossy: { holder: unknown; key: string; source: string }[] = []
  const root: unknown = JSON.parse(text, function (this: unknown, key, value, context?: { source?: string }) {
    const source = context?.source
    if (typeof value === 'number' && source !== undefined && isLossy(source, value))
      lossy.push({ holder: this, key, source })
    return value
  })
  for (const { holder, key, source } of lossy) {
    if (holder !== root || !own.includes(key)) return lossyNumber(source)
    fields[key] = source
  }
  return null
}

/** By its name, or else by a path of keys that are joined by dots. */
function fieldOf(fields: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : valueAt(fields, name.split('.'))
}

/** A case may be numbered and a time be a Unix time; anything else has no name. */
function nameOf(fields: JsonObject, name: string): string {
  const value = fieldOf(fields, name)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
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
  return { reason, detail: `"${name}" is ${shownValue(value)}, but ${what} is a text or a number${inside}` }
}

function shownValue(value: Json): string {
  const text = JSON.stringify(value)
  const shown = text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE)}…` : text
  if (Array.isArray(value)) return `an array (${shown})`
  return isJsonObject(value) ? `an object (${shown})` : shown
}
