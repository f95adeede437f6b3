import type { Random } from '../random.ts'
import type { ApiDocument, Schema } from './api-document.ts'
import type { FuzzContext } from './context.ts'
import { Raw } from './json-text.ts'
import { type KnownIds, kindOfField, kindOfPath } from './known-ids.ts'
import { EVENT_NAMES, randomJson, randomString, randomTime, randomUuid } from './random-values.ts'

const MAX_DEPTH = 4
/** Maximum length of one of ten arrays. */
const LONG_ARRAY = 12
const MAX_WINDOW_S = 3_155_760_000

export interface Origin {
  document: ApiDocument
  random: Random
  known: KnownIds
  /** Makes the names of this client unique. */
  prefix: string
  /** The operation's path. Created records get new names. */
  path: string
}

/** @param path path of the operation */
export function originOf(
  { document, random, account, otherAccount, prefix }: FuzzContext,
  path: string,
): Origin {
  const isForeign = otherAccount !== null && random.chance(0.02)
  return { document, random, known: isForeign ? otherAccount.known : account.known, prefix, path }
}

/** A value that the schema allows. An id is mostly that of an existing record. */
export function validValue(origin: Origin, schema: Schema, name = '', depth = 0): unknown {
  const { document, random } = origin
  const resolved = document.resolve(schema)
  if (depth === 0 && resolved.examples?.length && random.chance(0.03)) return random.pick(resolved.examples)
  if (resolved.const !== undefined) return resolved.const
  if (resolved.enum) return random.pick(resolved.enum)
  const alternatives = resolved.oneOf ?? resolved.anyOf
  if (alternatives?.some(({ $ref }) => $ref)) {
    const alternative = depth >= MAX_DEPTH ? (alternatives[0] as Schema) : random.pick(alternatives)
    return validValue(origin, alternative, name, depth + 1)
  }
  switch (Array.isArray(resolved.type) ? random.pick(resolved.type) : resolved.type) {
    case 'object':
      return resolved.properties
        ? objectOf(origin, resolved, depth)
        : { [random.pick(['value', 'a', 'b'])]: random.int(0, 5) }
    case 'array':
      return arrayOf(origin, resolved, depth)
    case 'string':
      return stringOf(origin, resolved, name)
    case 'number':
      return numberOf(random, resolved, false)
    case 'integer':
      return numberOf(random, resolved, true)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return randomJson(random)
  }
}

function objectOf(origin: Origin, schema: Schema, depth: number): Record<string, unknown> {
  const { random } = origin
  const properties = schema.properties ?? {}
  const chosen = new Set(schema.required)
  const alternatives = (schema.oneOf ?? []).map(({ required = [] }) => required)
  const exclusive = new Set(alternatives.flat())
  for (const [name, { not }] of Object.entries(properties)) {
    const isReserved = not !== undefined && Object.keys(not).length === 0
    if (!isReserved && !exclusive.has(name) && random.chance(chance(name))) chosen.add(name)
  }
  for (const name of alternatives.length > 0 ? random.pick(alternatives) : []) chosen.add(name)
  const anyOf = (schema.anyOf ?? []).map(({ required = [] }) => required)
  const isComplete = anyOf.length === 0 || anyOf.some((names) => names.every((name) => chosen.has(name)))
  for (const name of isComplete ? [] : random.pick(anyOf)) chosen.add(name)
  for (const [name, { anyOf: choices = [] }] of Object.entries(schema.dependentSchemas ?? {})) {
    if (chosen.has(name)) for (const needed of random.pick(choices).required ?? []) chosen.add(needed)
  }
  for (const [name, needed] of Object.entries(schema.dependentRequired ?? {})) {
    if (chosen.has(name)) for (const other of needed) chosen.add(other)
  }
  const entries = [...chosen].map((name) => [
    name,
    validValue(origin, properties[name] ?? {}, name, depth + 1),
  ])
  const fields: Record<string, unknown> = Object.fromEntries(entries)
  if (schema.additionalProperties === true && random.chance(0.3)) addUnknownField(fields, random)
  applyCrossFieldRules(fields, random)
  return fields
}

/** Rules of contracts (§2.1a) that the schema does not express. */
function applyCrossFieldRules(fields: Record<string, unknown>, random: Random): void {
  if (fields.aggregate === 'count') delete fields.field
  const { review_window: reviewWindow } = fields
  const review = fields.review as Record<string, unknown> | undefined
  if (review && 'max_duration' in review && typeof reviewWindow === 'number')
    review.max_duration = Math.min(reviewWindow + random.int(0, 1_000), MAX_WINDOW_S)
}

/** The probability of an optional field. Most claims have no test clock, and most leaves and contracts have few fields. */
function chance(name: string): number {
  if (name === 'test_clock_id') return 0.3
  return RARE_FIELDS.includes(name) ? 0.2 : 0.5
}

const RARE_FIELDS = [
  ...['lt', 'lte', 'gt', 'gte', 'eq', 'field', 'match', 'aggregate'],
  ...['review', 'strict_deadline', 'expires_at'],
]

function addUnknownField(fields: Record<string, unknown>, random: Random): void {
  const taken = ['id', 'type', 'claim_id', 'candidate_alias', 'created_at', 'system', 'at', '__proto__']
  const name = random.pick(['delay_minutes', 'amount', 'constructor', '', 'a.b', '0', randomString(random)])
  if (!taken.includes(name)) fields[name] = randomJson(random)
}

function arrayOf(origin: Origin, schema: Schema, depth: number): unknown[] {
  const { random } = origin
  const { minItems = 0, maxItems = LONG_ARRAY, items = {} } = schema
  const max = Math.min(maxItems, random.chance(0.1) ? LONG_ARRAY : 3)
  const length = depth >= MAX_DEPTH ? minItems : random.int(minItems, Math.max(minItems, max))
  const values = Array.from({ length }, () => validValue(origin, items, '', depth + 1))
  return schema.uniqueItems ? [...new Set(values)] : values
}

function stringOf(origin: Origin, schema: Schema, name: string): string {
  const { random, known, path, prefix } = origin
  const kind = kindOfField(name)
  const isOwnName = kind !== undefined && isCreation(path, name)
  if (kind !== undefined && !(isOwnName && random.chance(0.85)) && random.chance(0.95)) {
    const found = known.pick(kind, random)
    if (found !== null) return found
  }
  if (schema.format === 'date-time') return randomTime(random)
  // A pattern with one example is that of a UUID.
  if (schema.pattern !== undefined)
    return (schema.examples?.length ?? 0) > 1 ? `${random.pick(schema.examples ?? [])}` : randomUuid(random)
  if (name === 'type' || name === 'event') if (random.chance(0.9)) return random.pick(EVENT_NAMES)
  if (name === 'id') if (random.chance(0.9)) return `evt-${random.int(0, 60)}`
  if (name === 'email')
    return random.chance(0.8) ? `${prefix}-${random.int(0, 1e6)}@example.com` : randomString(random)
  const { minLength = 0, maxLength = 60 } = schema
  if (isOwnName && random.chance(0.8)) return `${prefix}-${random.int(0, 1e9)}`
  return randomString(random, minLength, maxLength)
}

/** Whether the field names the created record, not an existing one. */
const isCreation = (path: string, field: string): boolean =>
  (field === 'external_id' && kindOfPath(path) === 'customer') ||
  (field === 'candidate_alias' && kindOfPath(path) === 'alias' && !path.includes('events'))

function numberOf(random: Random, schema: Schema, isInteger: boolean): number | Raw {
  const { minimum, exclusiveMinimum, maximum = 1e12, exclusiveMaximum } = schema
  if (exclusiveMinimum !== undefined && exclusiveMaximum !== undefined)
    return exclusiveMinimum + ((exclusiveMaximum - exclusiveMinimum) * random.int(1, 999)) / 1000
  const min = minimum ?? exclusiveMinimum ?? -1e6
  if (random.chance(0.1)) return maximum
  if (random.chance(0.1) && minimum !== undefined) return minimum
  if (isInteger) return random.int(min, maximum)
  if (random.chance(0.1) && min >= 0)
    return random.pick([new Raw('5e-324'), 0.001, 1e-7, 0.30000000000000004])
  const small = random.int(0, random.pick([5, 1_000, 100_000])) / random.pick([1, 1, 1000])
  return Math.min(maximum, Math.max(exclusiveMinimum === undefined ? min : 0.5, small))
}
