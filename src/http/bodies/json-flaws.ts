import { ruleOfNumber } from '../../domain/contract/validate-contract.ts'
import { findLossyNumber } from '../../domain/exact-numbers.ts'
import type { Json, JsonObject } from '../../domain/json.ts'
import { validationError } from '../../errors.ts'
import { pathAt } from './json-text.ts'

/** Arrays and objects within each other. A contract's condition of 32 levels needs 66. */
const MAX_DEPTH = 128
/** @throws VALIDATION_ERROR at the first number that would come back as another */
export function* requireExactNumbers(json: string): Generator<void, void> {
  const index = yield* findLossyNumber(json)
  if (index === null) return
  const path = pathAt(json, index)
  throw validationError([
    { path: toPath(path), message: `is a number that cannot be kept exactly; ${ruleAt(path)}` },
  ])
}

/** What is to be sent instead. In a contract, a body's own or an item's, text may not stand for a number. */
function ruleAt(path: (string | number)[]): string {
  const within = path.indexOf('contract')
  const rule = within === 0 || within === 2 ? ruleOfNumber(path.slice(within + 1)) : null
  return rule ?? 'send it as a string'
}

/** @throws VALIDATION_ERROR if something in the value cannot be stored and returned as it was sent */
export function requireKeepable(value: Json): void {
  const flaw = findFlaw(value, 1)
  if (flaw) throw validationError([{ path: toPath(flaw.path), message: flaw.message }])
}

const toPath = (keys: (string | number)[]) => keys.reduce<string>(join, '') || 'body'

interface Flaw {
  path: (string | number)[]
  message: string
}

/** The first thing in the value that cannot be kept, with its path; null if there is none. */
function findFlaw(value: Json, depth: number): Flaw | null {
  if (typeof value === 'string') return flawOfText(value)
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_DEPTH) return { path: [], message: `is nested more than ${MAX_DEPTH} levels deep` }
  return Array.isArray(value) ? flawOfArray(value, depth) : flawOfObject(value, depth)
}

/** Nothing is made for an item, or for a key: a megabyte may hold hundreds of thousands. */
function flawOfArray(items: Json[], depth: number): Flaw | null {
  for (let index = 0; index < items.length; index++) {
    const flaw = findFlaw(items[index] as Json, depth + 1)
    if (flaw) return { path: [index, ...flaw.path], message: flaw.message }
  }
  return null
}

function flawOfObject(object: JsonObject, depth: number): Flaw | null {
  for (const key in object) {
    if (key === '__proto__') return { path: [key], message: 'is not allowed as a key' }
    const flawOfKey = flawOfText(key)
    if (flawOfKey) return { path: [], message: `has a key that ${flawOfKey.message}` }
    const flaw = findFlaw(object[key] as Json, depth + 1)
    if (flaw) return { path: [key, ...flaw.path], message: flaw.message }
  }
  return null
}

/** PostgreSQL's text holds neither U+0000 nor half a surrogate pair. */
export function flawOfText(text: string): Flaw | null {
  if (text.includes('\0')) return { path: [], message: 'contains U+0000' }
  if (!text.isWellFormed()) return { path: [], message: 'contains a lone surrogate' }
  return null
}

/** `contract.fulfillment_condition.conditions[0]`: the form of every path in an error's details. */
export function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}
