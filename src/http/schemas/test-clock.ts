import { Type } from 'typebox'
import { CustomerName, DateTime, DateTimeOrNull, Time, Uuid } from './scalars.ts'

const FIELDS = {
  id: Uuid('Made by the server.'),
  user_id: Uuid('The account that it belongs to.'),
  name: CustomerName,
  frozen_time: DateTime('Where the clock stands.'),
  next_due_at: DateTimeOrNull(
    'The earliest due_at of the claims and candidates on it; null where there is none.',
  ),
  created_at: DateTime('When it was created, in real time.'),
}

export const TestClockBody = Type.Object(FIELDS, {
  $id: 'TestClock',
  description:
    'A clock that stands still until it is advanced; claims and candidates on it live by its time.',
})

export const AdvancedTestClockBody = Type.Object(
  { ...FIELDS, transitions: Type.Integer({ description: 'How many transitions the advance made.' }) },
  { $id: 'AdvancedTestClock', description: 'A test clock where an advance has put it.' },
)

export const NewTestClockBody = Type.Object(
  { frozen_time: Time('Where the clock begins.'), name: Type.Optional(CustomerName) },
  {
    additionalProperties: false,
    examples: [{ frozen_time: '2026-01-01T00:00:00Z', name: 'a month of support' }],
  },
)

export const AdvanceBody = Type.Object(
  { frozen_time: Time('Where to advance the clock to; not before where it stands.') },
  { additionalProperties: false, examples: [{ frozen_time: '2026-02-01T00:00:00Z' }] },
)
