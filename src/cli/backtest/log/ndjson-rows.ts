import { MAX_PAYLOAD_BYTES } from '../../../domain/claims/event.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts'
import { OperatorError } from '../../../operator-error.ts'
import { badTime, EMPTY_PAYLOAD, faultOfNames, tooLarge } from './csv-rows.ts'
import { type ColumnNames, type Interest, type LogRow, RESERVED_NAMES, type RowFault } from './log-row.ts'
import { parseTime } from './parse-time.ts'

/** Lines without a match hold nothing that a string or a number may not be. */
const SUSPICIOUS = /\\u0000|\\ud[89a-f]|[eE]\+?\d{3}|\d{309}/i

/** Reads lines as rows; remembers which reserved names they hold. */
export class NdjsonRows {
  readonly #names: ColumnNames
  readonly #interest: Interest
  readonly #own: ReadonlySet<string>
  readonly reservedNames = new Set<string>()
  #isFirstRead = false

  constructor(names: ColumnNames, interest: Interest) {
    this.#names = names
    this.#interest = interest
    this.#own = new Set([names.case, names.type, names.time])
  }

  /** One row of the log, or why it is left out. @throws OperatorError if the first has other fields. */
  read(text: string, line: number): LogRow | RowFault {
    const fields = parseObject(text)
    if (fields === null) return { reason: 'not a JSON object', detail: 'the line is not a JSON object' }
    if (!this.#isFirstRead) this.#checkNames(fields)
    this.#isFirstRead = true
    const valueFault = SUSPICIOUS.test(text) ? faultOfValue(fields) : null
    return valueFault ?? this.#toRow(fields, line)
  }

  /** A name that the first line lacks is more likely a wrong option than a bad row. */
  #checkNames(fields: JsonObject): void {
    const { case: caseName, type, time } = this.#names
    for (const [option, name] of Object.entries({ '--case': caseName, '--type': type, '--time': time })) {
      if (Object.hasOwn(fields, name)) continue
      const names = Object.keys(fields).join(', ')
      throw new OperatorError(`the log's first line has no field "${name}" (${option}); it has: ${names}`)
    }
  }

  #toRow(fields: JsonObject, line: number): LogRow | RowFault {
    const { case: caseName, type: typeName, time, openedAt: opening } = this.#names
    const [caseId, type] = [nameOf(fields, caseName), nameOf(fields, typeName)]
    const nameFault = faultOfNames(caseId, type)
    if (nameFault) return nameFault
    const at = parseTime(nameOf(fields, time).trim())
    if (at === null) return badTime('bad time', nameOf(fields, time))
    const opened = opening === undefined ? '' : nameOf(fields, opening).trim()
    const openedAt = opened === '' ? null : parseTime(opened)
    if (opened !== '' && openedAt === null) return badTime('bad opening time', opened)
    const payloadBytes = this.#payloadBytes(fields)
    if (payloadBytes > MAX_PAYLOAD_BYTES) return tooLarge(payloadBytes)
    const payload = this.#interest.types.has(type) ? this.#readPayload(fields) : EMPTY_PAYLOAD
    return { caseId, type, at, openedAt, payload, payloadBytes, line }
  }

  #payloadBytes(fields: JsonObject): number {
    return Buffer.byteLength(JSON.stringify(Object.fromEntries(this.#payloadEntries(fields))))
  }

  #readPayload(fields: JsonObject): JsonObject {
    return Object.fromEntries(
      this.#payloadEntries(fields).filter(([name]) => this.#interest.fields.has(name)),
    )
  }

  #payloadEntries(fields: JsonObject): [string, Json][] {
    return Object.entries(fields).filter(([name]) => {
      if (this.#own.has(name)) return false
      if (!RESERVED_NAMES.has(name)) return true
      this.reservedNames.add(name)
      return false
    })
  }
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** A case may be numbered and a time be a Unix time; anything else has no name. */
function nameOf(fields: JsonObject, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : null
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function faultOfValue(value: Json): RowFault | null {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { reason: 'number out of range', detail: 'a number is larger than a double holds' }
  }
  if (typeof value === 'string') return faultOfText(value)
  if (typeof value !== 'object' || value === null) return null
  for (const [key, item] of Object.entries(value)) {
    const fault = faultOfText(key) ?? faultOfValue(item)
    if (fault) return fault
  }
  return null
}

/** U+0000 and lone surrogates are refused by the service. */
export function faultOfText(text: string): RowFault | null {
  if (text.isWellFormed() && !text.includes('\0')) return null
  const what = text.includes('\0') ? 'a NUL character (U+0000)' : 'half of a surrogate pair'
  return { reason: 'character that no string may have', detail: `the row holds ${what}` }
}
