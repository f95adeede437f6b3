import type { Issue } from '../../kernel/issue.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json.ts'
import { MAX_ISSUES } from '../../kernel/limits.ts'
import { MAX_CONTRACT_BYTES, MAX_PRICE, MAX_WINDOW_SECONDS } from '../limits.ts'
import { COMPARATORS } from './comparators.ts'
import type { Contract } from './contract.ts'
import { validateCondition } from './validate-condition.ts'

const FIELDS: readonly (keyof Contract)[] = [
  'price',
  'activity_window',
  'review_window',
  'fulfillment_condition',
  'timeout_outcome',
]

const NUMBER_RULES = {
  price: `must be a number from 0 to ${MAX_PRICE}`,
  activity_window: `must be a number of seconds greater than 0 and at most ${MAX_WINDOW_SECONDS}`,
  review_window: `must be a number of seconds from 0 to ${MAX_WINDOW_SECONDS}`,
}
const PRECISION = 'up to 15 significant digits are kept exactly'

/** The rule for the number at a path of a contract. Null where the contract accepts a string too. */
export function ruleOfNumber(path: readonly (string | number)[]): string | null {
  const [field, ...within] = path
  if (field !== 'fulfillment_condition')
    return field !== undefined && Object.hasOwn(NUMBER_RULES, field)
      ? `a contract's ${field} ${NUMBER_RULES[field as keyof typeof NUMBER_RULES]}; ${PRECISION}`
      : null
  const isCompared = !within.includes('match') && COMPARATORS.some((name) => name === within.at(-1))
  return isCompared ? `a contract compares only numbers of double precision; ${PRECISION}` : null
}

/** What is wrong with a contract (§2.1), some of it if it is much; nothing means that the value is a `Contract`. */
export function validateContract(value: unknown, path = 'contract'): Issue[] {
  if (!isJsonObject(value)) return [{ path, message: 'must be an object' }]

  const size = new TextEncoder().encode(JSON.stringify(value)).length
  if (size > MAX_CONTRACT_BYTES) {
    return [{ path, message: `has ${size} bytes as JSON; at most ${MAX_CONTRACT_BYTES} are allowed` }]
  }
  return [
    ...missingFields(value, path),
    ...otherFields(value, path),
    ...presentFields(value).flatMap((name) => validateField(name, value[name], `${path}.${name}`)),
  ]
}

const presentFields = (value: JsonObject) => FIELDS.filter((name) => Object.hasOwn(value, name))

function missingFields(value: JsonObject, path: string): Issue[] {
  return FIELDS.filter((name) => !Object.hasOwn(value, name)).map((name) => ({
    path: `${path}.${name}`,
    message: 'is required',
  }))
}

function otherFields(value: JsonObject, path: string): Issue[] {
  return Object.keys(value)
    .filter((key) => !(FIELDS as readonly string[]).includes(key))
    .slice(0, MAX_ISSUES)
    .map((key) => ({
      path: `${path}.${key}`,
      message: `is not a field of a contract (${FIELDS.join(', ')})`,
    }))
}

function validateField(name: keyof Contract, value: unknown, path: string): Issue[] {
  switch (name) {
    case 'price':
      return isNumberWithin(value, 0, MAX_PRICE) ? [] : [{ path, message: NUMBER_RULES.price }]
    case 'activity_window':
      return isNumberWithin(value, Number.MIN_VALUE, MAX_WINDOW_SECONDS)
        ? []
        : [{ path, message: NUMBER_RULES.activity_window }]
    case 'review_window':
      return isNumberWithin(value, 0, MAX_WINDOW_SECONDS)
        ? []
        : [{ path, message: NUMBER_RULES.review_window }]
    case 'timeout_outcome':
      return value === 'confirm' || value === 'fail' ? [] : [{ path, message: 'must be "confirm" or "fail"' }]
    case 'fulfillment_condition':
      return validateCondition(value, path)
  }
}

function isNumberWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most
}
