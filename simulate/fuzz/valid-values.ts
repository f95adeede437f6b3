import type { Random } from '../random.ts'
import type { ApiDocument, Schema } from './document.ts'
import { Raw } from './json-text.ts'
import { type Known, kindOfField, kindOfPath } from './known.ts'
import { EVENT_NAMES, someJson, someString, someTime, someUuid } from './strings.ts'

const DEPTH = 4
/** Of ten arrays one is as long as this, if it may be. */
const LONG = 12
/** Of a window. */
const LONGEST_S = 3_155_760_000

export interface Origin {
  document: ApiDocument
  random: Random
  known: Known
  /** What makes names of this client differ from those of others. */
  prefix: string
  /** The operation's path: what it creates gets new names. */
  path: string
}

/** A value that the schema allows. Where it names a record, mostly one that is there. */
export function validValue(origin: Origin, schema: Schema, name = '', depth = 0): unknown {
  const { document, random } = origin
  const it = document.resolve(schema)
  if (depth === 0 && it.examples?.length && random.chance(0.03)) return random.pick(it.examples)
  if (it.const !== undefined) return it.const
  if (it.enum) return random.pick(it.enum)
  const alternatives = it.oneOf ?? it.anyOf
  if (alternatives?.some((one) => one.$ref)) {
    const one = depth >= DEPTH ? (alternatives[0] as Schema) : random.pick(alternatives)
    return validValue(origin, one, name, depth + 1)
  }
  switch (Array.isArray(it.type) ? random.pick(it.type) : it.type) {
    case 'object':
      return it.properties
        ? objectOf(origin, it, depth)
        : { [random.pick(['value', 'a', 'b'])]: random.int(0, 5) }
    case 'array':
      return arrayOf(origin, it, depth)
    case 'string':
      return stringOf(origin, it, name)
    case 'number':
      return numberOf(random, it, false)
    case 'integer':
      return numberOf(random, it, true)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return someJson(random)
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
  const least = (schema.anyOf ?? []).map(({ required = [] }) => required)
  const hasLeast = least.length === 0 || least.some((names) => names.every((name) => chosen.has(name)))
  for (const name of hasLeast ? [] : random.pick(least)) chosen.add(name)
  for (const [name, { anyOf = [] }] of Object.entries(schema.dependentSchemas ?? {})) {
    if (chosen.has(name)) for (const needed of random.pick(anyOf).required ?? []) chosen.add(needed)
  }
  for (const [name, needed] of Object.entries(schema.dependentRequired ?? {})) {
    if (chosen.has(name)) for (const one of needed) chosen.add(one)
  }
  const entries = [...chosen].map((name) => [
    name,
    validValue(origin, properties[name] ?? {}, name, depth + 1),
  ])
  const fields: Record<string, unknown> = Object.fromEntries(entries)
  if (schema.additionalProperties === true && random.chance(0.3)) addExtra(fields, random)
  obeyRulesBetweenFields(fields, random)
  return fields
}

/** Of contracts (§2.1a): `aggregate` without `field`, and what only the words of the document say. */
function obeyRulesBetweenFields(fields: Record<string, unknown>, random: Random): void {
  if (fields.aggregate === 'count') delete fields.field
  const { review_window: least } = fields
  const review = fields.review as Record<string, unknown> | undefined
  if (review && 'max_duration' in review && typeof least === 'number')
    review.max_duration = Math.min(least + random.int(0, 1_000), LONGEST_S)
}

/** Of a field that may be left out. Most claims live by the real time, most leaves compare little, most contracts have five fields. */
function chance(name: string): number {
  if (name === 'test_clock_id') return 0.3
  return RARE.includes(name) ? 0.2 : 0.5
}

const RARE = [
  ...['lt', 'lte', 'gt', 'gte', 'eq', 'field', 'match', 'aggregate'],
  ...['review', 'strict_deadline', 'expires_at'],
]

function addExtra(fields: Record<string, unknown>, random: Random): void {
  const taken = ['id', 'type', 'claim_id', 'candidate_alias', 'created_at', 'system', 'at', '__proto__']
  const name = random.pick(['delay_minutes', 'amount', 'constructor', '', 'a.b', '0', someString(random)])
  if (!taken.includes(name)) fields[name] = someJson(random)
}

function arrayOf(origin: Origin, schema: Schema, depth: number): unknown[] {
  const { random } = origin
  const { minItems = 0, maxItems = LONG, items = {} } = schema
  const most = Math.min(maxItems, random.chance(0.1) ? LONG : 3)
  const length = depth >= DEPTH ? minItems : random.int(minItems, Math.max(minItems, most))
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
  if (schema.format === 'date-time') return someTime(random)
  // Patterns but that of a UUID have several examples.
  if (schema.pattern !== undefined)
    return (schema.examples?.length ?? 0) > 1 ? `${random.pick(schema.examples ?? [])}` : someUuid(random)
  if (name === 'type' || name === 'event') if (random.chance(0.9)) return random.pick(EVENT_NAMES)
  if (name === 'id') if (random.chance(0.9)) return `evt-${random.int(0, 60)}`
  if (name === 'email')
    return random.chance(0.8) ? `${prefix}-${random.int(0, 1e6)}@example.com` : someString(random)
  const { minLength = 0, maxLength = 60 } = schema
  if (isOwnName && random.chance(0.8)) return `${prefix}-${random.int(0, 1e9)}`
  return someString(random, minLength, maxLength)
}

/** Whether the field names what the request makes, and not something that must be there. */
const isCreation = (path: string, field: string): boolean =>
  (field === 'external_id' && kindOfPath(path) === 'customer') ||
  (field === 'candidate_alias' && kindOfPath(path) === 'alias' && !path.includes('events'))

function numberOf(random: Random, schema: Schema, isInteger: boolean): number | Raw {
  const { minimum, exclusiveMinimum, maximum = 1e12, exclusiveMaximum } = schema
  if (exclusiveMinimum !== undefined && exclusiveMaximum !== undefined)
    return exclusiveMinimum + ((exclusiveMaximum - exclusiveMinimum) * random.int(1, 999)) / 1000
  const least = minimum ?? exclusiveMinimum ?? -1e6
  if (random.chance(0.1)) return maximum
  if (random.chance(0.1) && minimum !== undefined) return minimum
  if (isInteger) return random.int(least, maximum)
  if (random.chance(0.1) && least >= 0)
    return random.pick([new Raw('5e-324'), 0.001, 1e-7, 0.30000000000000004])
  const small = random.int(0, random.pick([5, 1_000, 100_000])) / random.pick([1, 1, 1000])
  return Math.min(maximum, Math.max(exclusiveMinimum === undefined ? least : 0.5, small))
}
