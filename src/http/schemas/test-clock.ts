import { Type } from 'typebox'
import { CustomerName, DateTime, Time, Uuid } from './scalars.ts'

export const TestClockBody = Type.Object(
  {
    id: Uuid('Made by the server.'),
    user_id: Uuid('The account that it belongs to.'),
    name: CustomerName,
    frozen_time: DateTime('Where the clock stands.'),
    created_at: DateTime('When it was created, in real time.'),
  },
  {
    $id: 'TestClock',
    description:
      'A clock that stands still until it is advanced; claims and candidates on it live by its time.',
  },
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
