import { Type } from 'typebox'
import { type Outcome, STATUSES } from '../../domain/claims/lifecycle.ts'
import { UUID_PATTERN } from '../../domain/uuid.ts'

/** For examples. */
export const SOME_UUID = '01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42'

/** Any version; in any case on input. */
export const Uuid = (description: string) =>
  Type.String({ description, pattern: UUID_PATTERN, examples: [SOME_UUID] })

export const UuidOrNull = (description: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    pattern: UUID_PATTERN,
    description,
    examples: [null],
  })

/** Of a schema, from 1 on. */
export const Version = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description, examples: [3] })

export const VersionOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, description, examples: [null] })

export const DateTime = (description: string) =>
  Type.Unsafe<Date | string>({
    type: 'string',
    format: 'date-time',
    description,
    examples: ['2026-01-31T09:30:00.000Z'],
  })

export const DateTimeOrNull = (description: string) =>
  Type.Unsafe<Date | string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description,
    examples: ['2026-01-31T09:30:00.000Z'],
  })

/** A time in a request. */
export const Time = (description: string) =>
  Type.String({
    format: 'date-time',
    description: `${description} ISO 8601 with a zone, from 1970 to 2999.`,
    examples: ['2026-01-31T09:30:00.000Z'],
  })

/** Its name in the IANA time zone database. */
export const TimeZone = (description: string) =>
  Type.String({ minLength: 1, maxLength: 64, description, examples: ['Europe/Berlin'] })

export const Status = Type.Enum([...STATUSES], { description: 'The state (§3).', examples: ['OPEN'] })

export const ScheduledOutcome = Type.Unsafe<Outcome | null>({
  enum: ['CONFIRMED', 'FAILED', null],
  description: 'What it resolves to when the review window elapses; null while OPEN.',
  examples: [null],
})

export const CandidateAlias = Type.String({
  description:
    'The caller’s own name for the candidate, unique over all accounts. It is never free again, unless the test clock of its candidate is deleted.',
  minLength: 8,
  maxLength: 255,
  examples: ['order-2026-000417'],
})

export const ExternalId = Type.String({
  description: 'The caller’s own name for the customer, unique within the account; it never changes.',
  minLength: 1,
  maxLength: 255,
  examples: ['acme'],
})

export const NameOrNull = (description: string, maxLength: number, example: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    minLength: 1,
    maxLength,
    description,
    examples: [example],
  })

export const CustomerName = NameOrNull('For people; null where there is none.', 255, 'ACME Inc.')
