import { Readings } from '../../core/contracts/readings.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { ComparedField } from '../compared-fields.ts'
import { type FieldStatistics, similarityKey } from '../field-statistics.ts'
import { lossyNumber, type RowFault } from '../log/log-row.ts'
import { type DecimalMark, isLossyCell, readCell } from '../read-cell.ts'
import type { CsvColumns } from './csv-columns.ts'

/** Shared by all events whose payload no leaf compares. */
export const EMPTY_PAYLOAD: JsonObject = Object.freeze({})

/** A key of the payload that leaves compare, or that contains such keys. */
interface PayloadKey {
  key: string
  /** The column whose name is the path to the key, joined by dots. */
  column: number | null
  /** Other columns with a similar name. */
  similar: CsvColumns['payload']
  /** One per type that leaves compare it with. */
  compared: FieldStatistics[]
  /** Whether a leaf compares it with an empty object. Then every column below it counts. */
  isAnyObject: boolean
  keys: PayloadKey[]
}

/** Makes the payloads of one event type. Each cell is read as the types that leaves compare it with. */
export class CsvPayloads {
  readonly #root: PayloadKey = {
    key: '',
    column: null,
    similar: [],
    compared: [],
    isAnyObject: false,
    keys: [],
  }
  readonly #mark: DecimalMark
  /** A number of the row that the service would refuse. */
  #lossy: string | null = null
  #line = 0

  constructor(statistics: readonly FieldStatistics[], columns: CsvColumns, mark: DecimalMark) {
    this.#mark = mark
    for (const one of statistics) {
      const place = placeOf(one.field, this.#root, columns)
      // A `distinct` counts the first of several readings, so the unchanged text of the cell comes first.
      if (one.field.type === 'scalar') place.compared.unshift(one)
      else place.compared.push(one)
      if (one.field.type === 'object') addColumnsBelow(place, one.field.path, columns)
    }
  }

  read(record: readonly string[], line: number): JsonObject {
    this.#lossy = null
    this.#line = line
    return this.#objectOf(this.#root, record) ?? EMPTY_PAYLOAD
  }

  /** The fault of the payload that was read last. */
  get fault(): RowFault | null {
    return this.#lossy === null ? null : lossyNumber(this.#lossy)
  }

  #objectOf({ keys }: PayloadKey, record: readonly string[]): JsonObject | null {
    let object: JsonObject | null = null
    for (const key of keys) {
      const value = this.#valueOf(key, record)
      if (value === undefined) continue
      object ??= {}
      object[key.key] = value
    }
    return object
  }

  #valueOf(key: PayloadKey, record: readonly string[]): Json | undefined {
    const cell = key.column === null ? '' : (record[key.column] as string)
    if (cell === '' && key.similar.length > 0) this.#noteNames(key, record)
    const first = cell === '' ? emptyReading(key) : this.#readingOf(cell, key)
    if (key.keys.length === 0) return first
    const object = this.#objectOf(key, record)
    if (object === null) return first
    if (key.isAnyObject)
      for (const one of key.compared) if (one.field.type === 'object') one.add(object, this.#line)
    return first === undefined ? object : Readings.of([first, object])
  }

  /** The log may have the value in a column of a similar name. */
  #noteNames({ similar, compared }: PayloadKey, record: readonly string[]): void {
    const names = similar.filter(({ index }) => record[index] !== '').map(({ name }) => name)
    for (const one of compared) one.addNames(names, this.#line)
  }

  #readingOf(cell: string, { compared }: PayloadKey): Json | undefined {
    if (compared.length === 0) return cell
    const readings: Json[] = []
    for (const one of compared) {
      const value = readCell(cell, one.field.type, this.#mark)
      if (value === undefined) {
        one.addOther('text', cell, this.#line)
        continue
      }
      if (typeof value === 'number' && isLossyCell(cell, value)) this.#lossy = cell
      one.add(value, this.#line)
      if (typeof value === 'number') one.addNumberCell(cell, this.#mark, this.#line)
      readings.push(value)
    }
    return Readings.of(readings)
  }
}

/** An empty cell has no value, unless a leaf compares it with the empty text. */
const emptyReading = ({ column, compared }: PayloadKey): Json | undefined =>
  column !== null && compared.some(({ field }) => field.texts.has('')) ? '' : undefined

function placeOf({ path }: ComparedField, root: PayloadKey, columns: CsvColumns): PayloadKey {
  return path.reduce((place, _, depth) => keyIn(place, path.slice(0, depth + 1), columns), root)
}

function keyIn(place: PayloadKey, path: readonly string[], columns: CsvColumns): PayloadKey {
  const key = path.at(-1) as string
  const known = place.keys.find((one) => one.key === key)
  if (known) return known
  const full = path.join('.')
  const column = columns.payload.find(({ name }) => name === full)?.index ?? null
  const similar = columns.payload.filter(
    ({ name }) => column !== null && name !== full && similarityKey(name) === similarityKey(full),
  )
  const made: PayloadKey = { key, column, similar, compared: [], isAnyObject: false, keys: [] }
  place.keys.push(made)
  return made
}

function addColumnsBelow(place: PayloadKey, path: readonly string[], columns: CsvColumns): void {
  place.isAnyObject = true
  const prefix = `${path.join('.')}.`
  for (const { name } of columns.payload)
    if (name.startsWith(prefix)) keyIn(place, [...path, name.slice(prefix.length)], columns)
}
