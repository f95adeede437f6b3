import type { ClaimSchema } from '../api/records.ts'
import type { Texts } from '../components/differences.tsx'
import { toDuration } from '../contracts/contract-draft.ts'
import { inPercent } from '../contracts/reminder-percentages.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'
import type { SchemaNames, SchemaTerms } from './schemas-api.ts'

/* The texts of a schema's fields, for comparing two states. */

const NONE = '(none)'

export const TERMS_TEXTS: Texts<SchemaTerms> = {
  Price: ({ contract }) => LOCAL_NUMBERS.writeNumber(contract.price),
  'Activity window': ({ contract }) => durationText(contract.activity_window),
  'Review window': ({ contract }) => durationText(contract.review_window),
  'Fulfillment condition': ({ contract }) => JSON.stringify(contract.fulfillment_condition, null, 2),
  'Timeout outcome': ({ contract }) => contract.timeout_outcome,
  Review: ({ contract: { review } }) => (review ? JSON.stringify(review, null, 2) : NONE),
  Clock: ({ contract: { clock } }) => (clock ? JSON.stringify(clock, null, 2) : NONE),
  'Strict deadline': ({ contract: { strict_deadline } }) =>
    strict_deadline === undefined ? NONE : String(strict_deadline),
  Reminders: ({ reminders = [] }) => inPercent(reminders) || NONE,
}

export const NAMES_TEXTS: Texts<SchemaNames> = {
  Name: ({ name }) => name ?? NONE,
  Description: ({ description }) => description ?? NONE,
}

export const SCHEMA_TEXTS: Texts<ClaimSchema> = { ...NAMES_TEXTS, ...TERMS_TEXTS }

function durationText(seconds: number): string {
  const { text, unit } = toDuration(seconds)
  return `${text} ${text === '1' ? unit.slice(0, -1) : unit}`
}
