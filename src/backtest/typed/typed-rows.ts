import { MAX_PAYLOAD_BYTES } from '../../core/limits.ts'
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../kernel/json.ts'
import { EMPTY_PAYLOAD } from '../csv/csv-payload.ts'
import type { FieldStatistics } from '../field-statistics.ts'
import { MAX_FIELD_NAMES } from '../limits.ts'
import {
  badTime,
  faultOfNames,
  type LogRow,
  RESERVED_NAMES,
  type RowFault,
  readEventId,
  tooLarge,
} from '../log/log-row.ts'
import type { TimeReader } from '../time/time-reader.ts'

/** An event of a log whose values have types. */
export interface TypedEvent {
  caseId: string
  type: string
  time: string
  /** Empty if there is none. */
  openedAt: string
  /** Empty if there is none. */
  id: string
  fields: JsonObject
  line: number
}

/** Makes rows of events whose values have types. The values keep their types. */
export class TypedRows {
  readonly #times: TimeReader
  readonly #statistics: ReadonlyMap<string, readonly FieldStatistics[]>
  /** Fields that are not part of the payload. */
  readonly #own: ReadonlySet<string>
  readonly reservedNames = new Set<string>()
  /** Names of fields of the payloads. */
  readonly names = new Set<string>()

  constructor(
    times: TimeReader,
    statistics: ReadonlyMap<string, readonly FieldStatistics[]>,
    own: readonly string[],
  ) {
    this.#times = times
    this.#statistics = statistics
    this.#own = new Set(own)
  }

  read({ caseId, type, time, openedAt: opening, id: givenId, fields, line }: TypedEvent): LogRow | RowFault {
    const nameFault = faultOfNames(caseId, type)
    if (nameFault) return nameFault
    const at = this.#times.read(time, line)
    if (Number.isNaN(at)) return badTime('bad time', time, this.#times)
    const openedAt = opening.trim() === '' ? null : this.#times.read(opening, line)
    if (Number.isNaN(openedAt)) return badTime('bad opening time', opening, this.#times)
    const id = readEventId(givenId)
    if (typeof id === 'object') return id
    const whole = this.#payloadOf(fields)
    const payloadBytes = Buffer.byteLength(JSON.stringify(whole))
    if (payloadBytes > MAX_PAYLOAD_BYTES) return tooLarge(payloadBytes)
    return { caseId, id, type, at, openedAt, payload: this.#compared(type, whole, line), payloadBytes, line }
  }

  #payloadOf(fields: JsonObject): JsonObject {
    const entries = Object.entries(fields).filter(([name]) => {
      if (this.#own.has(name)) return false
      if (!RESERVED_NAMES.has(name)) return true
      this.reservedNames.add(name)
      return false
    })
    return Object.fromEntries(entries)
  }

  /** The fields that leaves compare. The other fields are not kept. */
  #compared(type: string, payload: JsonObject, line: number): JsonObject {
    const statistics = this.#statistics.get(type) ?? []
    if (statistics.length === 0) return EMPTY_PAYLOAD
    const kept = new Map<string, Json>()
    for (const one of statistics) {
      const [name = ''] = one.field.path
      const value = valueAt(payload, one.field.path)
      if (Object.hasOwn(payload, name)) kept.set(name, payload[name] as Json)
      if (value === undefined) this.#noteMissing(payload, one, line)
      one.add(value, line)
    }
    return kept.size === 0 ? EMPTY_PAYLOAD : Object.fromEntries(kept)
  }

  /** The log may have a missing field under a similar name, or a text of JSON in place of the object that contains it. */
  #noteMissing(payload: JsonObject, one: FieldStatistics, line: number): void {
    const other = nonObjectOn(one.field.path, payload)
    if (other !== null) one.addNonObject(other, line)
    const names = namesIn(payload, one.field.path.length)
    one.addNames(names, line)
    if (this.names.size < MAX_FIELD_NAMES) for (const name of names) this.names.add(name)
  }
}

/** A value before the end of the path that is not an object; null if there is none. */
function nonObjectOn(path: readonly string[], payload: JsonObject): Json {
  let value: Json = payload
  for (const key of path) {
    if (!isJsonObject(value)) return value
    value = (Object.hasOwn(value, key) ? value[key] : null) as Json
  }
  return null
}

/** The names of the fields down to this depth, joined by dots. */
function namesIn(object: JsonObject, depth: number): string[] {
  const names = Object.keys(object)
  if (depth === 1) return names
  return names.flatMap((name) => {
    const value = object[name]
    return isJsonObject(value)
      ? [name, ...namesIn(value, depth - 1).map((inner) => `${name}.${inner}`)]
      : [name]
  })
}
