import type { ClockTerms } from '../../../src/core/contracts/contract.ts'
import { conditionInWords, durationInWords } from '../../../src/core/contracts/contract-in-words.ts'
import type { SchemaVersion } from '../api/records.ts'

/** A difference between a version and the previous one. */
export interface VersionChange {
  field: string
  before: string
  after: string
}

type SchemaState = Pick<SchemaVersion, 'name' | 'description' | 'contract'>
type Money = (amount: number) => string

/** For each field, its stored value and its text. */
const FIELDS: Record<
  string,
  [stored: (state: SchemaState) => unknown, inWords: (state: SchemaState, money: Money) => string]
> = {
  Name: [({ name }) => name, ({ name }) => name ?? 'none'],
  Description: [({ description }) => description, ({ description }) => description ?? 'none'],
  Price: [({ contract }) => contract.price, ({ contract }, money) => money(contract.price)],
  'Activity window': [
    ({ contract }) => contract.activity_window,
    ({ contract }) => durationInWords(contract.activity_window),
  ],
  'Review window': [
    ({ contract }) => contract.review_window,
    ({ contract }) => durationInWords(contract.review_window),
  ],
  'Timeout outcome': [
    ({ contract }) => contract.timeout_outcome,
    ({ contract }) => (contract.timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'),
  ],
  Condition: [
    ({ contract }) => contract.fulfillment_condition,
    ({ contract }) => conditionInWords(contract.fulfillment_condition),
  ],
  Reversal: [
    ({ contract }) => contract.review?.reversal_condition,
    ({ contract: { review } }) =>
      review?.reversal_condition ? conditionInWords(review.reversal_condition) : 'none',
  ],
  'Restart of the review': [
    ({ contract }) => contract.review?.restart_on,
    ({ contract: { review } }) => (review?.restart_on ? conditionInWords(review.restart_on) : 'none'),
  ],
  'Longest review': [
    ({ contract }) => contract.review?.max_duration,
    ({ contract: { review } }) =>
      review?.max_duration === undefined ? 'none' : durationInWords(review.max_duration),
  ],
  Calendar: [({ contract }) => contract.clock?.calendar, ({ contract }) => calendarInWords(contract.clock)],
  'Windows of the calendar': [
    ({ contract }) => contract.clock?.applies_to,
    ({ contract: { clock } }) => clock?.applies_to?.join(', ') ?? 'default',
  ],
  'Stops the clock': [
    ({ contract }) => contract.clock?.pause_on,
    ({ contract: { clock } }) => (clock?.pause_on ? conditionInWords(clock.pause_on) : 'none'),
  ],
  'Continues the clock': [
    ({ contract }) => contract.clock?.resume_on,
    ({ contract: { clock } }) => (clock?.resume_on ? conditionInWords(clock.resume_on) : 'none'),
  ],
  'Strict deadline': [
    ({ contract }) => contract.strict_deadline,
    ({ contract }) => (contract.strict_deadline ? 'yes' : 'no'),
  ],
}

function calendarInWords(clock: ClockTerms | undefined): string {
  const { calendar } = clock ?? {}
  if (!calendar) return 'none'
  return calendar.version === undefined ? calendar.id : `${calendar.id}, version ${calendar.version}`
}

/** Both versions mean the same, but their JSON differs. */
const ONLY_JSON: VersionChange = {
  field: 'JSON',
  before: 'same meaning',
  after: 'different JSON',
}

/** The changes in words. If only the JSON differs, the change says so. */
export function changesBetween(before: SchemaState, after: SchemaState, money: Money): VersionChange[] {
  const changes = Object.entries(FIELDS).flatMap(([field, [stored, inWords]]) => {
    if (areSame(stored(before), stored(after))) return []
    const words = { before: inWords(before, money), after: inWords(after, money) }
    return words.before === words.after ? { ...ONLY_JSON, field } : { field, ...words }
  })
  return changes.length > 0 || areSame(before.contract, after.contract) ? changes : [ONLY_JSON]
}

const areSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
