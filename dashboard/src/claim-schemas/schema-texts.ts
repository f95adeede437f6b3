import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { ClaimSchema } from '../api/records.ts'
import type { Texts } from '../components/differences.tsx'
import { toDuration } from '../contracts/contract-draft.ts'
import { inPercent } from '../contracts/reminder-percentages.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'
import type { SchemaNames, SchemaTerms } from './schemas-api.ts'

/* The texts of a schema's fields, for comparing two states. */

const NONE = '(none)'

const CONTRACT_TEXTS: Texts<Contract> = {
  Price: ({ price }) => LOCAL_NUMBERS.writeNumber(price),
  'Activity window': ({ activity_window }) => durationText(activity_window),
  'Review window': ({ review_window }) => durationText(review_window),
  'Fulfillment condition': ({ fulfillment_condition }) => JSON.stringify(fulfillment_condition, null, 2),
  'Timeout outcome': ({ timeout_outcome }) => timeout_outcome,
  Review: ({ review }) => (review ? JSON.stringify(review, null, 2) : NONE),
  Clock: ({ clock }) => (clock ? JSON.stringify(clock, null, 2) : NONE),
  'Strict deadline': ({ strict_deadline }) =>
    strict_deadline === undefined ? NONE : String(strict_deadline),
}

export const NAMES_TEXTS: Texts<SchemaNames> = {
  Name: ({ name }) => name ?? NONE,
  Description: ({ description }) => description ?? NONE,
}

export const TERMS_TEXTS: Texts<SchemaTerms> = {
  ...Object.fromEntries(
    Object.entries(CONTRACT_TEXTS).map(([label, textOf]) => [
      label,
      ({ contract }: SchemaTerms) => textOf(contract),
    ]),
  ),
  Reminders: ({ reminders = [] }) => inPercent(reminders) || NONE,
}

export const SCHEMA_TEXTS: Texts<ClaimSchema> = { ...NAMES_TEXTS, ...TERMS_TEXTS }

function durationText(seconds: number): string {
  const { text, unit } = toDuration(seconds)
  return `${text} ${text === '1' ? unit.slice(0, -1) : unit}`
}
