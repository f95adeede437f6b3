import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { boundsInWords } from './comparators.ts'
import type { Condition, Leaf } from './condition.ts'
import type { Contract } from './contract.ts'
import { durationInWords } from './duration-in-words.ts'
import { formatMoney } from './format-money.ts'

/** A contract in sentences, as one would tell it to the customer's accountant. */
export function contractInWords(contract: Contract): string[] {
  const { price, activity_window, review_window, fulfillment_condition, timeout_outcome } = contract
  const timeout = timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'
  return [
    `The claim is worth ${formatMoney(price)}.`,
    `It is to be CONFIRMED once, within ${durationInWords(activity_window)} of its opening, ${conditionInWords(fulfillment_condition)}.`,
    `If that does not happen in time, it is to be ${timeout}.`,
    review_window === 0
      ? 'There is no review: the next check makes the outcome final.'
      : `The outcome is then under review for ${durationInWords(review_window)} before it is final.`,
  ]
}

/** A condition as a clause: “a” has arrived, and either “b” or “c” has arrived. */
export function conditionInWords(condition: Condition): string {
  return clause(condition, false)
}

/** A clause within another is set in brackets if it would be read wrong without. */
function clause(condition: Condition, isNested: boolean): string {
  if (!('op' in condition)) return leafInWords(condition)
  if (condition.op === 'NOT') return notInWords(condition.condition)
  const { op, conditions } = condition
  const [only] = conditions
  if (!only) return op === 'AND' ? 'any event has arrived' : '(never: no alternative is named)'
  if (conditions.length === 1) return clause(only, isNested)
  const parts = conditions.map((child) => clause(child, true))
  const joined = `${op === 'OR' ? 'either ' : ''}${enumerate(parts, op === 'AND' ? 'and' : 'or')}`
  return isNested ? `(${joined})` : joined
}

const enumerate = (parts: string[], word: 'and' | 'or'): string =>
  parts.length === 2 ? parts.join(` ${word} `) : `${parts.slice(0, -1).join(', ')}, ${word} ${parts.at(-1)}`

function notInWords(condition: Condition): string {
  if (!('op' in condition)) return `no ${eventInWords(condition)} has arrived`
  if (condition.op === 'NOT') return clause(condition.condition, true)
  return `not: ${clause(condition, true)}`
}

const leafInWords = (leaf: Leaf): string => `${eventInWords(leaf)} has arrived`

/** The event with what it must carry: “satisfaction” with a value of at least 4. */
export function eventInWords(leaf: Leaf): string {
  const demands = [...matchInWords(leaf.match), ...rangeInWords(leaf)]
  return demands.length === 0 ? `“${leaf.event}”` : `“${leaf.event}” with ${demands.join(' and ')}`
}

function matchInWords(match: Leaf['match']): string[] {
  if (match === undefined) return []
  if (!isJsonObject(match)) return [`the value ${JSON.stringify(match)}`]
  return equalities(match, '')
}

function equalities(match: JsonObject, prefix: string): string[] {
  return Object.entries(match).flatMap(([key, expected]: [string, Json]) =>
    isJsonObject(expected) && Object.keys(expected).length > 0
      ? equalities(expected, `${prefix}${key}.`)
      : [`${prefix}${key} = ${JSON.stringify(expected)}`],
  )
}

function rangeInWords(leaf: Leaf): string[] {
  const bounds = boundsInWords(leaf)
  return bounds === '' ? [] : [`a ${leaf.field ?? 'value'} of ${bounds}`]
}
