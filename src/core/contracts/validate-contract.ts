import type { Issue } from '../../kernel/issue.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json.ts'
import { MAX_ISSUES } from '../../kernel/limits.ts'
import { isUuid } from '../../kernel/uuid.ts'
import {
  MAX_CALENDAR_VERSIONS,
  MAX_CONTRACT_BYTES,
  MAX_DISTINCT_LEAVES,
  MAX_PRICE,
  MAX_WINDOW_SECONDS,
  MAX_WORKING_SECONDS,
} from '../limits.ts'
import { holdsOnEmptyLog } from './aggregate.ts'
import { COMPARATORS } from './comparators.ts'
import { type Condition, leavesOf } from './condition.ts'
import {
  type ClockTerms,
  type Contract,
  conditionsOf,
  DEFAULT_WINDOWS,
  type ReviewTerms,
  WINDOWS,
  type Window,
} from './contract.ts'
import { validateCondition, validateEventTrigger } from './validate-condition.ts'

const REQUIRED_FIELDS: readonly (keyof Contract)[] = [
  'price',
  'activity_window',
  'review_window',
  'fulfillment_condition',
  'timeout_outcome',
]
const FIELDS: readonly (keyof Contract)[] = [...REQUIRED_FIELDS, 'review', 'strict_deadline', 'clock']

const NUMBER_RULES = {
  price: `must be a number from 0 to ${MAX_PRICE}`,
  activity_window: `must be a number of seconds greater than 0 and at most ${MAX_WINDOW_SECONDS}`,
  review_window: `must be a number of seconds from 0 to ${MAX_WINDOW_SECONDS}`,
  max_duration: `must be a number of seconds from review_window to ${MAX_WINDOW_SECONDS}`,
}
const PRECISION = 'up to 15 significant digits are kept exactly'

/** The rule for the number at a path of a contract. Null where the contract accepts a string too. */
export function ruleOfNumber(path: readonly (string | number)[]): string | null {
  const [field, ...within] = path
  if (field === 'review' && within[0] === 'max_duration') {
    return `a contract's review.max_duration ${NUMBER_RULES.max_duration}; ${PRECISION}`
  }
  if (field !== 'fulfillment_condition' && field !== 'review' && field !== 'clock')
    return field !== undefined && Object.hasOwn(NUMBER_RULES, field)
      ? `a contract's ${field} ${NUMBER_RULES[field as keyof typeof NUMBER_RULES]}; ${PRECISION}`
      : null
  const isCompared = !within.includes('match') && COMPARATORS.some((name) => name === within.at(-1))
  return isCompared ? `a contract compares only numbers of double precision; ${PRECISION}` : null
}

/** The issues of a contract (§2.1). Not all issues if there are many. A value without issues is a `Contract`. */
export function validateContract(value: unknown, path = 'contract'): Issue[] {
  if (!isJsonObject(value)) return [{ path, message: 'must be an object' }]

  const size = new TextEncoder().encode(JSON.stringify(value)).length
  const added = addedBytes(value)
  if (size + added > MAX_CONTRACT_BYTES) {
    const why = added > 0 ? ` without the version of its calendar, which takes ${added} bytes` : ''
    return [
      { path, message: `has ${size} bytes as JSON; at most ${MAX_CONTRACT_BYTES - added} are allowed${why}` },
    ]
  }
  const issues = [
    ...missingFields(value, path),
    ...otherKeys(value, FIELDS, 'a contract', path),
    ...presentFields(value).flatMap((name) => validateField(name, value, path)),
  ]
  return issues.length > 0 ? issues : validateWhole(value as unknown as Contract, path)
}

/** Bytes of the largest version number that the creation of a claim may add to the contract (§2.1a rule 20). */
function addedBytes({ clock }: JsonObject): number {
  if (!isJsonObject(clock) || !isJsonObject(clock.calendar) || 'version' in clock.calendar) return 0
  return `,"version":${MAX_CALENDAR_VERSIONS}`.length
}

/** Rules about several fields of a contract whose fields are valid. */
function validateWhole(contract: Contract, path: string): Issue[] {
  const distinct = conditionsOf(contract)
    .flatMap(leavesOf)
    .filter(({ aggregate }) => aggregate === 'distinct')
  return distinct.length > MAX_DISTINCT_LEAVES
    ? [{ path, message: `has more than ${MAX_DISTINCT_LEAVES} leaves with the aggregate "distinct"` }]
    : []
}

const presentFields = (value: JsonObject) => FIELDS.filter((name) => Object.hasOwn(value, name))

function missingFields(value: JsonObject, path: string): Issue[] {
  return REQUIRED_FIELDS.filter((name) => !Object.hasOwn(value, name)).map((name) => ({
    path: `${path}.${name}`,
    message: 'is required',
  }))
}

function otherKeys(value: JsonObject, allowed: readonly string[], what: string, path: string): Issue[] {
  return Object.keys(value)
    .filter((key) => !allowed.includes(key))
    .slice(0, MAX_ISSUES)
    .map((key) => ({ path: `${path}.${key}`, message: `is not a field of ${what} (${allowed.join(', ')})` }))
}

function validateField(name: keyof Contract, contract: JsonObject, contractPath: string): Issue[] {
  const path = `${contractPath}.${name}`
  const value = contract[name]
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
    case 'review':
      return validateReview(value, contract.review_window, path)
    case 'clock':
      return validateClock(value, contract, contractPath)
    case 'strict_deadline':
      return typeof value === 'boolean' ? [] : [{ path, message: 'must be true or false' }]
  }
}

const REVIEW_FIELDS: readonly (keyof ReviewTerms)[] = ['reversal_condition', 'restart_on', 'max_duration']

function validateReview(review: unknown, reviewWindow: unknown, path: string): Issue[] {
  if (!isJsonObject(review)) return [{ path, message: `must be an object {${REVIEW_FIELDS.join(', ')}}` }]
  const has = (name: keyof ReviewTerms) => Object.hasOwn(review, name)
  const issues = otherKeys(review, REVIEW_FIELDS, 'a review', path)
  if (!has('reversal_condition') && !has('restart_on')) {
    issues.push({ path, message: 'needs reversal_condition or restart_on' })
  }
  if (has('reversal_condition')) {
    issues.push(...validateReversal(review.reversal_condition, `${path}.reversal_condition`))
  }
  if (has('restart_on')) issues.push(...validateEventTrigger(review.restart_on, `${path}.restart_on`))
  if (has('restart_on') !== has('max_duration')) {
    const message = has('restart_on') ? 'is required with restart_on' : 'is only allowed with restart_on'
    issues.push({ path: `${path}.max_duration`, message })
  }
  const least = typeof reviewWindow === 'number' ? reviewWindow : 0
  if (has('max_duration') && !isNumberWithin(review.max_duration, least, MAX_WINDOW_SECONDS)) {
    issues.push({ path: `${path}.max_duration`, message: NUMBER_RULES.max_duration })
  }
  return issues
}

const CLOCK_FIELDS: readonly (keyof ClockTerms)[] = ['calendar', 'applies_to', 'pause_on', 'resume_on']
const TRIGGERS = ['pause_on', 'resume_on'] as const

function validateClock(clock: unknown, contract: JsonObject, contractPath: string): Issue[] {
  const path = `${contractPath}.clock`
  if (!isJsonObject(clock)) return [{ path, message: `must be an object {${CLOCK_FIELDS.join(', ')}}` }]
  const has = (name: keyof ClockTerms) => Object.hasOwn(clock, name)
  const issues = otherKeys(clock, CLOCK_FIELDS, 'a clock', path)
  if (!has('calendar') && !has('pause_on') && !has('resume_on')) {
    issues.push({ path, message: 'needs a calendar, or pause_on and resume_on' })
  }
  for (const [name, other] of [TRIGGERS, TRIGGERS.toReversed()] as [keyof ClockTerms, keyof ClockTerms][]) {
    if (has(name)) issues.push(...validateEventTrigger(clock[name], `${path}.${name}`))
    else if (has(other)) issues.push({ path: `${path}.${name}`, message: `is required with ${other}` })
  }
  if (has('calendar')) issues.push(...validateCalendarRef(clock.calendar, `${path}.calendar`))
  if (has('applies_to')) issues.push(...validateWindows(clock, `${path}.applies_to`))
  if (issues.length > 0 || !has('calendar')) return issues
  const windows = (clock.applies_to ?? DEFAULT_WINDOWS) as Window[]
  return windows.flatMap((window) => {
    const name = `${window}_window` as const
    const seconds = contract[name]
    return typeof seconds === 'number' && seconds > MAX_WORKING_SECONDS
      ? [
          {
            path: `${contractPath}.${name}`,
            message: `must be at most ${MAX_WORKING_SECONDS} seconds of working time`,
          },
        ]
      : []
  })
}

function validateCalendarRef(calendar: unknown, path: string): Issue[] {
  const rule =
    'must be an object {id, version}: the id of a calendar, and the number of its version if it is not the current one'
  if (!isJsonObject(calendar) || typeof calendar.id !== 'string' || !isUuid(calendar.id))
    return [{ path, message: rule }]
  const { version } = calendar
  const isVersion = version === undefined || (Number.isSafeInteger(version) && (version as number) >= 1)
  return [
    ...otherKeys(calendar, ['id', 'version'], 'a calendar of a clock', path),
    ...(isVersion ? [] : [{ path: `${path}.version`, message: 'must be a whole number from 1 on' }]),
  ]
}

function validateWindows(clock: JsonObject, path: string): Issue[] {
  const { applies_to: windows } = clock
  if (!Object.hasOwn(clock, 'calendar')) return [{ path, message: 'is only allowed with a calendar' }]
  const isRight =
    Array.isArray(windows) &&
    windows.length > 0 &&
    windows.every((window) => WINDOWS.includes(window as Window)) &&
    new Set(windows).size === windows.length
  return isRight ? [] : [{ path, message: 'must be a list of "activity", "review" or both, each once' }]
}

/** A condition that holds over an empty log would reverse each outcome at the first event of any type. */
function validateReversal(value: unknown, path: string): Issue[] {
  const issues = validateCondition(value, path)
  if (issues.length > 0 || !holdsOnEmptyLog(value as Condition)) return issues
  return [{ path, message: 'must not hold over no event: it would reverse every outcome' }]
}

function isNumberWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most
}
