import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/durations.ts'
import { isJsonObject } from '../../kernel/json.ts'
import { isReservedType } from '../claims/event.ts'
import { boundsInWords, COMPARATORS } from './comparators.ts'
import { fieldPathOf, matchedValues } from './compared-values.ts'
import { type Condition, type Leaf, leavesOf } from './condition.ts'
import { type Contract, DEFAULT_WINDOWS, type EventTrigger, windowMs } from './contract.ts'
import { quoted } from './hints/spelling.ts'

/**
 * A contract in sentences for readers who do not know the API.
 * @param money how the price is shown
 * @param calendarName name of the contract's calendar; without it the id is shown
 */
export function contractInWords(contract: Contract, money = formatMoney, calendarName?: string): string[] {
  const { price, activity_window, review_window, fulfillment_condition, timeout_outcome } = contract
  const timeout = timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'
  return [
    `The claim is worth ${money(price)}.`,
    `It is to be CONFIRMED once, within ${durationInWords(activity_window)} of its opening, ${conditionInWords(fulfillment_condition)}.`,
    `If that does not happen in time, it is to be ${timeout}.`,
    review_window === 0
      ? 'There is no review: the next check makes the outcome final.'
      : `The outcome is then under review for ${durationInWords(review_window)} before it is final.`,
    ...clockInWords(contract, calendarName),
    ...reviewInWords(contract),
    ...(contract.strict_deadline ? ['An event after the end of a window changes nothing.'] : []),
  ]
}

/** §2.1a */
function clockInWords({ clock }: Contract, calendarName: string | undefined): string[] {
  if (!clock) return []
  const { calendar, applies_to = DEFAULT_WINDOWS, pause_on, resume_on } = clock
  const sentences: string[] = []
  if (calendar) {
    const windows =
      applies_to.length === 2
        ? 'both windows'
        : applies_to[0] === 'review'
          ? 'the review'
          : 'the activity window'
    const version = calendar.version === undefined ? '' : ` (version ${calendar.version})`
    const name = calendarName === undefined ? calendar.id : `“${calendarName}”`
    sentences.push(`Only working time of the calendar ${name}${version} counts for ${windows}.`)
  }
  if (pause_on && resume_on) {
    sentences.push(
      `Each ${triggerInWords(pause_on)} stops the time of the claim while it is OPEN, and each ${triggerInWords(resume_on)} continues it.`,
    )
  }
  return sentences
}

/** The event that a trigger waits for: “a” or “b”. */
function triggerInWords(trigger: EventTrigger): string {
  const events = leavesOf(trigger).map(eventInWords)
  return events.length === 1 ? (events[0] as string) : enumerate(events, 'or')
}

/** §2.1a */
function reviewInWords({ review, review_window }: Contract): string[] {
  if (!review) return []
  const { reversal_condition, restart_on, max_duration = 0 } = review
  const sentences: string[] = []
  if (restart_on) {
    sentences.push(
      `Each ${triggerInWords(restart_on)} begins the review of a CONFIRMED outcome anew, for ${durationInWords(max_duration)} in all at most.`,
    )
  }
  if (reversal_condition) {
    const within = restart_on || review_window === 0 ? 'the review' : durationInWords(review_window)
    sentences.push(
      `CONFIRMED stands unless, within ${within}, ${conditionInWords(reversal_condition)}: then it becomes FAILED.`,
    )
  }
  return sentences
}

/** A condition as a clause: “a” has arrived, and either “b” or “c” has arrived. */
export function conditionInWords(condition: Condition): string {
  return clause(condition, false)
}

const NEVER = '(never: no alternative is named)'

/** A nested clause is in brackets if it would be ambiguous without. */
function clause(original: Condition, isNested: boolean): string {
  const condition = withoutListsOfOne(original)
  if (!('op' in condition)) return leafInWords(condition)
  if (condition.op === 'NOT') return notInWords(condition.condition, isNested)
  const { op, conditions } = condition
  if (conditions.length === 0) return op === 'AND' ? 'any event has arrived' : NEVER
  const parts = conditions.map((child) => clause(child, true))
  const joined = `${op === 'OR' ? 'either ' : ''}${enumerate(parts, op === 'AND' ? 'and' : 'or')}`
  return isNested ? `(${joined})` : joined
}

const enumerate = (parts: string[], word: 'and' | 'or'): string =>
  parts.length === 2 ? parts.join(` ${word} `) : `${parts.slice(0, -1).join(', ')}, ${word} ${parts.at(-1)}`

function notInWords(negated: Condition, isNested: boolean): string {
  const condition = withoutListsOfOne(negated)
  if (!('op' in condition)) {
    if (isReservedType(condition.event)) return `not: ${leafInWords(condition)}`
    return condition.aggregate === undefined
      ? `no ${eventInWords(condition)} has arrived`
      : `not: (${leafInWords(condition)})`
  }
  if (condition.op === 'NOT') return clause(condition.condition, isNested)
  const negatedClause = clause(condition, false)
  return negatedClause === NEVER ? `not: ${NEVER}` : `not: (${negatedClause})`
}

/** Replaces a list of one condition by that condition. */
function withoutListsOfOne(condition: Condition): Condition {
  if (!('op' in condition) || condition.op === 'NOT') return condition
  const [only, ...others] = condition.conditions
  return only && others.length === 0 ? withoutListsOfOne(only) : condition
}

/** System events satisfy no leaf (§2.2 rule 3), and no caller can submit an event of their types. */
function leafInWords(leaf: Leaf): string {
  if (isReservedType(leaf.event)) return `(never: ${typeInWords(leaf.event)} satisfies nothing)`
  if (leaf.aggregate === 'sum')
    return `the sum of ${pathInWords(fieldPathOf(leaf))} of ${matchedEventInWords(leaf)} is ${boundsInWords(leaf)}`
  return `${eventInWords(leaf)} ${leaf.aggregate === undefined || isAboutOne(leaf) ? 'has' : 'have'} arrived`
}

/** "at least 1", but "more than 1". */
const isAboutOne = (leaf: Leaf): boolean =>
  COMPARATORS.every((name) => leaf[name] === undefined || (leaf[name] === 1 && name !== 'gt'))

/** The event and its requirements: “satisfaction” with a value of at least 4; at least 5 “delivered”. */
export function eventInWords(leaf: Leaf): string {
  switch (leaf.aggregate) {
    case undefined:
      return withDemands(leaf, [...matchInWords(leaf), ...rangeInWords(leaf)])
    case 'count':
      return `${boundsInWords(leaf)} ${matchedEventInWords(leaf)}`
    case 'sum':
      return withDemands(leaf, [
        ...matchInWords(leaf),
        `a sum of ${pathInWords(fieldPathOf(leaf))} of ${boundsInWords(leaf)}`,
      ])
    default:
      return `${boundsInWords(leaf)} different ${isAboutOne(leaf) ? 'value' : 'values'} of ${pathInWords(fieldPathOf(leaf))} of ${matchedEventInWords(leaf)}`
  }
}

const matchedEventInWords = (leaf: Leaf): string => withDemands(leaf, matchInWords(leaf))

function withDemands(leaf: Leaf, demands: string[]): string {
  const event = typeInWords(leaf.event)
  return demands.length === 0 ? event : `${event} with ${demands.join(' and ')}`
}

/** In curly quotes, or as JSON if curly quotes would be ambiguous. */
const typeInWords = (type: string): string =>
  /[“”]/u.test(type) || hasInvisible(type) ? quoted(type) : `“${type}”`

const hasInvisible = (text: string): boolean => quoted(text) !== JSON.stringify(text)

/** A path of keys: by.name, or by."first.name" if a key would be ambiguous. */
const pathInWords = (keys: readonly string[]): string =>
  keys.map((key) => (/^[\p{L}\p{M}\p{N}_-]+$/u.test(key) && !hasInvisible(key) ? key : quoted(key))).join('.')

function matchInWords(leaf: Leaf): string[] {
  if (!isJsonObject(leaf.match)) return matchedValues(leaf).map(({ value }) => `the value ${quoted(value)}`)
  return matchedValues(leaf).map(({ path, value }) =>
    isJsonObject(value) ? `any object as ${pathInWords(path)}` : `${pathInWords(path)} = ${quoted(value)}`,
  )
}

function rangeInWords(leaf: Leaf): string[] {
  const bounds = boundsInWords(leaf)
  return bounds === '' ? [] : [`a ${pathInWords(fieldPathOf(leaf))} of ${bounds}`]
}

/** In milliseconds. */
const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })

/** A window, rounded to whole milliseconds as the service does: "30 days", "1 day 2 hours", "1.5 seconds"; 0 is "no time". */
export function durationInWords(seconds: number): string {
  const parts: string[] = []
  let rest = windowMs(seconds)
  for (const [unit, size] of UNITS) {
    const count = unit === 'second' ? rest / size : Math.floor(rest / size)
    if (count > 0) parts.push(`${NUMBER.format(count)} ${unit}${count === 1 ? '' : 's'}`)
    rest %= size
  }
  return parts.join(' ') || 'no time'
}

type Format = (amount: string | number) => string

/**
 * Formats amounts in major units: numbers, or exact decimals as text, such as sums.
 * @param currency the code (ISO 4217); null for none
 * @param locale of the reader; default: the locale of the machine
 */
export function moneyFormat(currency: string | null, locale?: string): Format {
  const style = currency === null ? { minimumFractionDigits: 2 } : ({ style: 'currency', currency } as const)
  const format = new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: 20 })
  return (amount) => format.format(amount as Intl.StringNumericLiteral)
}

/** Without a currency, in English. */
const formatMoney: Format = moneyFormat(null, 'en')
