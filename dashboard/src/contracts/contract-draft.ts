import { isJsonObject, type Json, type JsonObject } from '../../../src/kernel/json.ts'
import { readNumberValue, valueText } from '../format/value-text.ts'
import { type BuilderNode, newLeaf, toCondition, toNode } from './builder-node.ts'

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
}

const FIELDS = ['price', 'activity_window', 'review_window', 'fulfillment_condition', 'timeout_outcome']

/** The draft of JSON with the structure of a contract, even with invalid values. Null for any other JSON. */
export function toDraft(value: Json): ContractDraft | null {
  if (!isJsonObject(value) || Object.keys(value).some((key) => !FIELDS.includes(key))) return null
  const { price, activity_window, review_window, timeout_outcome, fulfillment_condition } = value
  const condition = toNode(fulfillment_condition)
  if (!condition || !isText(timeout_outcome)) return null
  return {
    price: textOf(price),
    activityWindow: toDuration(activity_window),
    reviewWindow: toDuration(review_window),
    timeoutOutcome: timeout_outcome ?? '',
    condition,
  }
}

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
  const { price, activityWindow, reviewWindow, timeoutOutcome, condition } = draft
  return {
    ...(price === '' ? {} : { price: readNumberValue(price) }),
    ...(activityWindow.text === '' ? {} : { activity_window: secondsOf(activityWindow) }),
    ...(reviewWindow.text === '' ? {} : { review_window: secondsOf(reviewWindow) }),
    fulfillment_condition: toCondition(condition),
    ...(timeoutOutcome === '' ? {} : { timeout_outcome: timeoutOutcome }),
  }
}

/** The draft of a new schema: one day, no review, an event without a type. */
export const newDraft = (): ContractDraft => ({
  price: '',
  activityWindow: { text: '1', unit: 'days' },
  reviewWindow: { text: '0', unit: 'seconds' },
  timeoutOutcome: 'fail',
  condition: newLeaf(),
})
