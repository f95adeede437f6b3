import {
  MAX_METADATA_KEY_LENGTH,
  MAX_METADATA_VALUE_LENGTH,
  type Metadata,
  type MetadataChange,
} from '../../../../src/kernel/metadata.ts'
import { lengthInCharacters } from '../../../../src/kernel/text.ts'

/** A key and its value as they are being written. */
export interface MetadataRow {
  /** In the page alone. */
  id: number
  key: string
  value: string
}

let made = 0

export const newRow = (key = '', value = ''): MetadataRow => ({ id: ++made, key, value })

/** The order of keys means nothing: people find them by the alphabet. */
export const pairsOf = (metadata: Metadata): [key: string, value: string][] =>
  Object.entries(metadata).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))

/** A blank one if there is none: to be written in. */
export function rowsOf(metadata: Metadata): MetadataRow[] {
  const rows = pairsOf(metadata).map(([key, value]) => newRow(key, value))
  return rows.length === 0 ? [newRow()] : rows
}

/** It says nothing. */
export const isBlank = ({ key, value }: MetadataRow): boolean => key === '' && value === ''

export interface RowProblems {
  key?: string | undefined
  value?: string | undefined
}

/** What is wrong with rows, by their ids. */
export function problemsIn(rows: readonly MetadataRow[]): Map<number, RowProblems> {
  const problems = new Map<number, RowProblems>()
  const keys = new Set<string>()
  for (const row of rows) {
    if (isBlank(row)) continue
    const key =
      row.key === '' ? MISSING_KEY : keys.has(row.key) ? 'This key is above already' : tooLongKey(row)
    const value = excess(row.value, MAX_METADATA_VALUE_LENGTH, 'a value')
    if (key || value) problems.set(row.id, { key, value })
    keys.add(row.key)
  }
  return problems
}

/** Of a row that may still be written. */
export const MISSING_KEY = 'A value needs a key'

const tooLongKey = ({ key }: MetadataRow) => excess(key, MAX_METADATA_KEY_LENGTH, 'a key')

/** As Unicode counts characters, so no field can hold them to it by itself. */
function excess(text: string, most: number, what: string): string | undefined {
  const length = lengthInCharacters(text)
  return length > most ? `${length.toLocaleString('en')} characters: ${what} has ${most} at most` : undefined
}

/** What rows say; null if something is wrong with them. */
export const metadataIn = (rows: readonly MetadataRow[]): Metadata | null =>
  problemsIn(rows).size > 0
    ? null
    : Object.fromEntries(rows.filter((row) => !isBlank(row)).map(({ key, value }) => [key, value]))

export type KeyChanges = NonNullable<MetadataChange>

/** What makes the one of the other. */
export function changesBetween(before: Metadata, after: Metadata): KeyChanges {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = keys.filter((key) => valueAt(before, key) !== valueAt(after, key))
  return valuesAt(after, changed)
}

/** Null where there is none. */
export const valuesAt = (metadata: Metadata, keys: readonly string[]): KeyChanges =>
  Object.fromEntries(keys.map((key) => [key, valueAt(metadata, key)]))

const valueAt = (metadata: Metadata, key: string): string | null =>
  Object.hasOwn(metadata, key) ? (metadata[key] as string) : null
