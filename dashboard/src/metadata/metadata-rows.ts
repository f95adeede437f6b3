import { MAX_METADATA_KEY_LENGTH, MAX_METADATA_VALUE_LENGTH } from '../../../src/kernel/limits.ts'
import type { Metadata, MetadataChange } from '../../../src/kernel/metadata.ts'
import { lengthInCharacters } from '../../../src/kernel/text.ts'

export const METADATA_HELP =
  'Your own keys and values. Lists can be filtered by them. They do not affect decisions.'

/** A key and its value as they are being edited. */
export interface MetadataRow {
  /** Unique within the page. */
  id: number
  key: string
  value: string
}

let made = 0

export const newRow = (key = '', value = ''): MetadataRow => ({ id: ++made, key, value })

/** Sorted by key, because the order of keys has no meaning. */
export const pairsOf = (metadata: Metadata): [key: string, value: string][] =>
  Object.entries(metadata).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))

/** At least one row, which may be blank. */
export function rowsOf(metadata: Metadata): MetadataRow[] {
  const rows = pairsOf(metadata).map(([key, value]) => newRow(key, value))
  return rows.length === 0 ? [newRow()] : rows
}

export const isBlank = ({ key, value }: MetadataRow): boolean => key === '' && value === ''

export interface RowProblems {
  key?: string | undefined
  value?: string | undefined
}

/** Problems by row id. */
export function problemsIn(rows: readonly MetadataRow[]): Map<number, RowProblems> {
  const problems = new Map<number, RowProblems>()
  const keys = new Set<string>()
  for (const row of rows) {
    if (isBlank(row)) continue
    const key =
      row.key === '' ? MISSING_KEY : keys.has(row.key) ? 'This key is already used above' : tooLongKey(row)
    const value = excess(row.value, MAX_METADATA_VALUE_LENGTH, 'a value')
    if (key || value) problems.set(row.id, { key, value })
    keys.add(row.key)
  }
  return problems
}

/** The problem of a row that may be incomplete. */
export const MISSING_KEY = 'A value needs a key'

const tooLongKey = ({ key }: MetadataRow) => excess(key, MAX_METADATA_KEY_LENGTH, 'a key')

/** Counts Unicode characters, which maxLength does not. */
function excess(text: string, most: number, what: string): string | undefined {
  const length = lengthInCharacters(text)
  return length > most
    ? `${length.toLocaleString('en')} characters: ${what} can have at most ${most}`
    : undefined
}

/** The metadata of the rows. Null if a row has a problem. */
export const metadataIn = (rows: readonly MetadataRow[]): Metadata | null =>
  problemsIn(rows).size > 0
    ? null
    : Object.fromEntries(rows.filter((row) => !isBlank(row)).map(({ key, value }) => [key, value]))

export type KeyChanges = NonNullable<MetadataChange>

/** The change that turns `before` into `after`. */
export function changesBetween(before: Metadata, after: Metadata): KeyChanges {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = keys.filter((key) => valueAt(before, key) !== valueAt(after, key))
  return valuesAt(after, changed)
}

/** Null for a missing key. */
export const valuesAt = (metadata: Metadata, keys: readonly string[]): KeyChanges =>
  Object.fromEntries(keys.map((key) => [key, valueAt(metadata, key)]))

const valueAt = (metadata: Metadata, key: string): string | null =>
  Object.hasOwn(metadata, key) ? (metadata[key] as string) : null
