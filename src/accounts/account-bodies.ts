import { Type } from 'typebox'
import { withRule } from '../platform/http/bodies/describe-schema.ts'
import {
  DateTime,
  DateTimeOrNull,
  Time,
  TimeZone,
  Uuid,
  UuidOrNull,
} from '../platform/http/responses/field-schemas.ts'

const Currency = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  pattern: withRule('^[A-Z]{3}$', 'an upper-case ISO 4217 currency code, such as EUR'),
  description: 'In which it counts its prices (ISO 4217); null if it has not said so. It changes no number.',
  examples: ['EUR'],
})

const AccountTimeZone = TimeZone(
  'By whose days it goes: a name of the IANA time zone database. It changes no decision and no time that is stored.',
)

export const AccountChangeBody = Type.Object(
  { currency: Type.Optional(Currency), time_zone: Type.Optional(AccountTimeZone) },
  { additionalProperties: false, minProperties: 1 },
)

export const AccountBody = Type.Object(
  {
    id: Uuid('The `user_id` of all that belongs to the account.'),
    email: Type.String({ description: 'In lower case.', examples: ['billing@example.com'] }),
    name: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'For people; null where the command line made the account.',
      examples: ['Billing'],
    }),
    currency: Currency,
    time_zone: AccountTimeZone,
    created_at: DateTime('When it was created.'),
  },
  { $id: 'Account', description: 'Whom everything belongs to.' },
)

const TOKEN_FIELDS = {
  id: Uuid('Made by the server; not the token itself.'),
  name: Type.String({ description: 'What it is for.', examples: ['nightly'] }),
  session_id: UuidOrNull(
    'The session that it was made in, and ends with where that is revoked; null for the command line, and where it was not recorded yet.',
  ),
  created_at: DateTime('When it was created.'),
  expires_at: DateTimeOrNull('When it ends; null for never.'),
  last_used_at: DateTimeOrNull('About when a request came with it last; null where none did.'),
  revoked_at: DateTimeOrNull('When it was revoked; null where it was not.'),
}

export const ApiTokenBody = Type.Object(TOKEN_FIELDS, {
  $id: 'ApiToken',
  description: 'An API token (§5), without its secret.',
})

export const CreatedApiTokenBody = Type.Object(
  {
    ...TOKEN_FIELDS,
    token: Type.String({
      description: 'The token, shown this once.',
      examples: ['ck_wR3mC9bJx0YpQv6sT1uZaE8nLh2kFd5gVi7oXeBtMqA'],
    }),
  },
  { $id: 'CreatedApiToken', description: 'A new API token.' },
)

export const NewApiTokenBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'What it is for.',
      examples: ['nightly'],
    }),
    expires_at: Type.Optional(Time('When it ends, in the future; never where absent.')),
  },
  { additionalProperties: false },
)

const EmailOrNull = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 254,
  description: 'Who may use it; null for anyone who has the link.',
  examples: ['accounting@example.com'],
})

const INVITATION_FIELDS = {
  id: Uuid('Made by the server.'),
  email: EmailOrNull,
  created_at: DateTime('When it was created.'),
  expires_at: DateTime('When it ends: 7 days later.'),
}

export const InvitationBody = Type.Object(
  {
    ...INVITATION_FIELDS,
    used_at: DateTimeOrNull('When someone signed up with it; null where nobody did.'),
  },
  { $id: 'Invitation', description: 'For one person to sign up, to an account of their own.' },
)

export const CreatedInvitationBody = Type.Object(
  {
    ...INVITATION_FIELDS,
    url: Type.String({
      description: 'The link for the invited person, shown this once.',
      examples: ['https://claims.example.com/welcome#key=2n8tQ…'],
    }),
  },
  { $id: 'CreatedInvitation', description: 'A new invitation.' },
)

export const NewInvitationBody = Type.Object(
  { email: Type.Optional(EmailOrNull) },
  { additionalProperties: false },
)

export const ACCOUNT_COMPONENTS = [
  AccountBody,
  ApiTokenBody,
  CreatedApiTokenBody,
  InvitationBody,
  CreatedInvitationBody,
]
