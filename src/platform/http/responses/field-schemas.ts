import { Type } from 'typebox'
import { type Outcome, STATUSES } from '../../../core/claims/lifecycle.ts'
import { MAX_NAME_LENGTH } from '../../../core/limits.ts'
import { EXAMPLE_TIME, parseIsoTime } from '../../../kernel/iso-time.ts'
import { UUID_PATTERN } from '../../../kernel/uuid.ts'
import { withRule } from '../bodies/describe-schema.ts'

/** The UUID of examples in the API reference. */
export const EXAMPLE_UUID = '01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42'

const UUID = withRule(UUID_PATTERN, `a UUID, 32 hexadecimal digits in five groups, such as ${EXAMPLE_UUID}`)

/** A UUID of any version. Input is case-insensitive. */
export const Uuid = (description: string) =>
  Type.String({ description, pattern: UUID, examples: [EXAMPLE_UUID] })

export const UuidOrNull = (description: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    pattern: UUID,
    description,
    examples: [null],
  })

/** The version of a record, from 1 on. */
export const Version = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description, examples: [3] })

export const VersionOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, description, examples: [null] })

export const DateTime = (description: string) =>
  Type.Unsafe<Date | string>({
    type: 'string',
    format: 'date-time',
    description,
    examples: [EXAMPLE_TIME],
  })

export const DateTimeOrNull = (description: string) =>
  Type.Unsafe<Date | string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description,
    examples: [EXAMPLE_TIME],
  })

/** A time in a request. Times of responses are `DateTime`. */
export const InputTime = (description: string) =>
  Type.String({
    format: 'date-time',
    description: `${description} ISO 8601 with a zone, from 1970 to 2999.`,
    examples: [EXAMPLE_TIME],
  })

/** Parses a string that `InputTime` has validated. Digits below a millisecond are dropped. */
export const readTime = (text: string): Date => parseIsoTime(text) as Date

/** A name of the IANA time zone database. */
export const TimeZone = (description: string) =>
  Type.String({ minLength: 1, maxLength: 64, description, examples: ['Europe/Berlin'] })

export const Status = Type.Enum([...STATUSES], { description: 'The state (§3).', examples: ['OPEN'] })

export const ScheduledOutcome = Type.Unsafe<Outcome | null>({
  enum: ['CONFIRMED', 'FAILED', null],
  description: 'The outcome when the review window elapses; null while OPEN.',
  examples: [null],
})

export const CandidateAlias = Type.String({
  description:
    'The caller’s name for the candidate, unique across all accounts. It can be used again only after its candidate was deleted with a test clock.',
  minLength: 8,
  maxLength: MAX_NAME_LENGTH,
  examples: ['order-2026-000417'],
})

export const ExternalId = Type.String({
  description: 'The caller’s name for the customer, unique within the account. It never changes.',
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
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

export const CustomerName = NameOrNull(
  'The display name; null if there is none.',
  MAX_NAME_LENGTH,
  'ACME Inc.',
)
