import { isJsonObject, type Json, type JsonObject } from '../../../src/kernel/json.ts'
import { readNumberValue, valueText } from '../format/value-text.ts'
import { type BuilderNode, hasOnly, newLeaf, toCondition, toNode } from './builder-node.ts'

export const TIME_UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const
export type TimeUnit = keyof typeof TIME_UNITS

export interface DurationDraft {
  /** Empty for none. */
  text: string
  unit: TimeUnit
}

/** A contract as the form edits it: values are typed text and may be incomplete. */
export interface ContractDraft {
  price: string
  activityWindow: DurationDraft
  reviewWindow: DurationDraft
  timeoutOutcome: string
  condition: BuilderNode
  /** Null if the contract has none. */
  review: ReviewDraft | null
  /** Missing if the contract does not have the field. JSON may have another value than a boolean. */
  strictDeadline?: Json
  /** Null if the contract has none. */
  clock: ClockDraft | null
}

/** §2.1a: a review that can be lost. */
export interface ReviewDraft {
  reversal: BuilderNode | null
  restart: BuilderNode | null
  maxDuration: DurationDraft
}

/** §2.1a: what counts as time of the windows. */
export interface ClockDraft {
  /** The id is empty until a calendar is chosen. A missing version is the current one when a claim is created. */
  calendar: { id: string; version?: Json } | null
  /** The windows that the calendar applies to. Missing for the default. JSON may have other values. */
  appliesTo?: Json
  pause: BuilderNode | null
  resume: BuilderNode | null
}

const FIELDS = [
  'price',
  'activity_window',
  'review_window',
  'fulfillment_condition',
  'timeout_outcome',
  'review',
  'strict_deadline',
  'clock',
]
const REVIEW_FIELDS = ['reversal_condition', 'restart_on', 'max_duration']
const CLOCK_FIELDS = ['calendar', 'applies_to', 'pause_on', 'resume_on']

export const CONDITION_PATH = 'contract.fulfillment_condition'
export const REVERSAL_PATH = 'contract.review.reversal_condition'
export const RESTART_PATH = 'contract.review.restart_on'
export const PAUSE_PATH = 'contract.clock.pause_on'
export const RESUME_PATH = 'contract.clock.resume_on'

/** The conditions of the draft, by their paths in validation issues. */
export function treesOf({ condition, review, clock }: ContractDraft): (readonly [string, BuilderNode])[] {
  const trees = [
    [CONDITION_PATH, condition],
    [REVERSAL_PATH, review?.reversal],
    [RESTART_PATH, review?.restart],
    [PAUSE_PATH, clock?.pause],
    [RESUME_PATH, clock?.resume],
  ] as const
  return trees.flatMap(([path, root]) => (root ? [[path, root] as const] : []))
}

/** The draft of JSON with the structure of a contract, even with invalid values. Null for any other JSON. */
export function toDraft(value: Json): ContractDraft | null {
  if (!isJsonObject(value) || !hasOnly(value, FIELDS)) return null
  const { price, activity_window, review_window, timeout_outcome, fulfillment_condition } = value
  const condition = toNode(fulfillment_condition)
  const review = toReview(value.review)
  const clock = toClock(value.clock)
  if (!condition || review === undefined || clock === undefined || !isText(timeout_outcome)) return null
  return {
    price: textOf(price),
    activityWindow: toDuration(activity_window),
    reviewWindow: toDuration(review_window),
    timeoutOutcome: timeout_outcome ?? '',
    condition,
    review,
    clock,
    ...(value.strict_deadline === undefined ? {} : { strictDeadline: value.strict_deadline }),
  }
}

/** Undefined for JSON of another structure. */
function toReview(value: Json | undefined): ReviewDraft | null | undefined {
  if (value === undefined) return null
  if (!isJsonObject(value) || !hasOnly(value, REVIEW_FIELDS)) return undefined
  const [reversal, restart] = [value.reversal_condition, value.restart_on].map(toOptionalNode)
  if (reversal === undefined || restart === undefined) return undefined
  return { reversal, restart, maxDuration: toDuration(value.max_duration) }
}

/** Undefined for JSON of another structure. */
function toClock(value: Json | undefined): ClockDraft | null | undefined {
  if (value === undefined) return null
  if (!isJsonObject(value) || !hasOnly(value, CLOCK_FIELDS)) return undefined
  const calendar = toCalendarRef(value.calendar)
  const [pause, resume] = [value.pause_on, value.resume_on].map(toOptionalNode)
  if (calendar === undefined || pause === undefined || resume === undefined) return undefined
  const { applies_to: appliesTo } = value
  return { calendar, pause, resume, ...(appliesTo === undefined ? {} : { appliesTo }) }
}

function toCalendarRef(value: Json | undefined): ClockDraft['calendar'] | undefined {
  if (value === undefined) return null
  if (!isJsonObject(value) || !hasOnly(value, ['id', 'version'])) return undefined
  const { id, version } = value
  return isText(id) ? { id: id ?? '', ...(version === undefined ? {} : { version }) } : undefined
}

/** Null for none, undefined for JSON of another structure. */
const toOptionalNode = (condition: Json | undefined): BuilderNode | null | undefined =>
  condition === undefined ? null : (toNode(condition) ?? undefined)

const isText = (value: Json | undefined): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value !== '')
const textOf = (value: Json | undefined): string => (value === undefined ? '' : valueText(value))

/** In the largest unit that leaves a whole number. */
export function toDuration(seconds: Json | undefined): DurationDraft {
  if (typeof seconds !== 'number') return { text: textOf(seconds), unit: 'seconds' }
  const units = Object.entries(TIME_UNITS).toReversed() as [TimeUnit, number][]
  const [unit, size] = units.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['seconds', 1]
  return { text: valueText(seconds / size), unit }
}

/** Seconds. A text that is no number stays a text, which validation reports. */
export const secondsOf = ({ text, unit }: DurationDraft): Json => readNumberValue(text, TIME_UNITS[unit])

/** The draft as JSON, without empty fields. */
export function toContract(draft: ContractDraft): JsonObject {
  const { price, activityWindow, reviewWindow, timeoutOutcome, condition, review, strictDeadline, clock } =
    draft
  return {
    ...(price === '' ? {} : { price: readNumberValue(price) }),
    ...(activityWindow.text === '' ? {} : { activity_window: secondsOf(activityWindow) }),
    ...(reviewWindow.text === '' ? {} : { review_window: secondsOf(reviewWindow) }),
    fulfillment_condition: toCondition(condition),
    ...(timeoutOutcome === '' ? {} : { timeout_outcome: timeoutOutcome }),
    ...(review ? { review: fromReview(review) } : {}),
    ...(strictDeadline === undefined ? {} : { strict_deadline: strictDeadline }),
    ...(clock ? { clock: fromClock(clock) } : {}),
  }
}

const fromReview = ({ reversal, restart, maxDuration }: ReviewDraft): JsonObject => ({
  ...(reversal ? { reversal_condition: toCondition(reversal) } : {}),
  ...(restart ? { restart_on: toCondition(restart) } : {}),
  ...(maxDuration.text === '' ? {} : { max_duration: secondsOf(maxDuration) }),
})

const fromClock = ({ calendar, appliesTo, pause, resume }: ClockDraft): JsonObject => ({
  ...(calendar ? { calendar: fromCalendarRef(calendar) } : {}),
  ...(appliesTo === undefined ? {} : { applies_to: appliesTo }),
  ...(pause ? { pause_on: toCondition(pause) } : {}),
  ...(resume ? { resume_on: toCondition(resume) } : {}),
})

const fromCalendarRef = ({ id, version }: NonNullable<ClockDraft['calendar']>): JsonObject => ({
  ...(id === '' ? {} : { id }),
  ...(version === undefined ? {} : { version }),
})

/** The draft of a new schema: one day, no review, an event without a type. */
export const newDraft = (): ContractDraft => ({
  price: '',
  activityWindow: { text: '1', unit: 'days' },
  reviewWindow: { text: '0', unit: 'seconds' },
  timeoutOutcome: 'fail',
  condition: newLeaf(),
  review: null,
  clock: null,
})
