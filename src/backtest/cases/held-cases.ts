import type { JsonObject } from '../../kernel/json.ts'
import type { Case, CaseEvent } from '../backtest.ts'
import { inOrderOfTime, type LogRow } from '../log/log-row.ts'
import type { RowOrder } from './row-order.ts'
import type { CaseGrouping } from './sorted-cases.ts'

const NO_EVENT = -1

interface HeldCase {
  openedAt: number | null
  hasConflictingOpenings: boolean
  last: number
}

/**
 * Holds every event until the end of the log, in columns: 32 bytes an event, and if a contract looks at its
 * payload some 60 more; some 150 bytes a case.
 */
export class HeldCases implements CaseGrouping {
  readonly #order: RowOrder
  readonly #onCase: (found: Case) => void
  readonly #cases = new Map<string, HeldCase>()
  readonly #typeIndexes = new Map<string, number>()
  readonly #types: string[] = []
  readonly #at = new GrowingColumn(Float64Array)
  readonly #line = new GrowingColumn(Uint32Array)
  readonly #payloadBytes = new GrowingColumn(Uint32Array)
  readonly #type = new GrowingColumn(Uint32Array)
  /** The case's event before it in the log. */
  readonly #previous = new GrowingColumn(Int32Array)
  /** Takes memory only if events have ids. */
  readonly #id = new GrowingColumn<string | undefined>(Array)
  readonly #payload = new GrowingColumn<JsonObject>(Array)

  constructor(onCase: (found: Case) => void, order: RowOrder) {
    this.#onCase = onCase
    this.#order = order
  }

  add({ caseId, id, openedAt, type, at, payload, payloadBytes, line }: LogRow): void {
    const held = this.#cases.get(caseId) ?? { openedAt: null, hasConflictingOpenings: false, last: NO_EVENT }
    if (held.last === NO_EVENT) this.#cases.set(caseId, held)
    held.openedAt ??= openedAt
    if (openedAt !== null && openedAt !== held.openedAt) held.hasConflictingOpenings = true
    this.#order.add(at, held.last === NO_EVENT ? null : this.#at.at(held.last))
    this.#at.push(at)
    this.#line.push(line)
    this.#payloadBytes.push(payloadBytes)
    this.#type.push(this.#typeIndex(type))
    this.#payload.push(payload)
    held.last = this.#previous.push(held.last)
    if (id !== undefined) this.#id.put(held.last, id)
  }

  finish(): void {
    this.#order.isReversed = this.#order.isNewestFirst
    for (const [id, { last, ...held }] of this.#cases)
      this.#onCase({ id, ...held, events: inOrderOfTime(this.#eventsUpTo(last)) })
  }

  #typeIndex(type: string): number {
    const found = this.#typeIndexes.get(type)
    if (found !== undefined) return found
    this.#typeIndexes.set(type, this.#types.length)
    return this.#types.push(type) - 1
  }

  #eventsUpTo(last: number): CaseEvent[] {
    const events: CaseEvent[] = []
    for (let index = last; index !== NO_EVENT; index = this.#previous.at(index)) {
      events.push({
        id: this.#id.at(index),
        type: this.#types[this.#type.at(index)] as string,
        at: this.#at.at(index),
        payload: this.#payload.at(index),
        payloadBytes: this.#payloadBytes.at(index),
        line: this.#line.at(index),
      })
    }
    return this.#order.isReversed ? events : events.reverse()
  }
}

const CHUNK_BITS = 16
const CHUNK_LENGTH = 1 << CHUNK_BITS

/** An array, typed or not. */
interface Chunk<Value> {
  [index: number]: Value
}

/** A list that grows by chunks: doubling an array of millions would hold it twice. */
class GrowingColumn<Value = number> {
  readonly #create: new (
    length: number,
  ) => Chunk<Value>
  readonly #chunks: Chunk<Value>[] = []
  #length = 0

  constructor(create: new (length: number) => Chunk<Value>) {
    this.#create = create
  }

  /** Returns the index of the value. */
  push(value: Value): number {
    const index = this.#length++
    this.put(index, value)
    return index
  }

  put(index: number, value: Value): void {
    const chunk = index >>> CHUNK_BITS
    this.#chunks[chunk] ??= new this.#create(CHUNK_LENGTH)
    this.#chunks[chunk][index & (CHUNK_LENGTH - 1)] = value
  }

  at(index: number): Value {
    return this.#chunks[index >>> CHUNK_BITS]?.[index & (CHUNK_LENGTH - 1)] as Value
  }
}
