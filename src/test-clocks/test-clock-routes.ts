import { type Static, Type } from 'typebox'
import type { App } from '../app.ts'
import type { TestClock } from '../core/records.ts'
import { ONCE_ERRORS, onceRoute } from '../idempotency/idempotency-key.ts'
import {
  CustomerName,
  DateTime,
  DateTimeOrNull,
  readTime,
  Time,
  Uuid,
} from '../platform/http/responses/field-schemas.ts'
import { listQuery, pageOf, presentPage } from '../platform/http/responses/lists.ts'
import { BODY_ERRORS, LOCATION, ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import { createTestClock, deleteTestClock, getTestClock, listTestClocks } from './test-clocks.ts'

const FIELDS_AT_ANY_TIME = {
  id: Uuid('Made by the server.'),
  user_id: Uuid('The account that it belongs to.'),
  name: CustomerName,
  frozen_time: DateTime('Where the clock stands.'),
  created_at: DateTime('When it was created, in real time.'),
}
const FIELDS = {
  ...FIELDS_AT_ANY_TIME,
  next_due_at: DateTimeOrNull(
    'The earliest due_at of the claims and candidates on it; null where there is none.',
  ),
}

/** A clock in a notification. */
export const TestClockThenBody = Type.Object(FIELDS_AT_ANY_TIME, {
  $id: 'TestClockThen',
  description: 'A test clock where an advance had put it.',
})

export const TestClockBody = Type.Object(FIELDS, {
  $id: 'TestClock',
  description:
    'A clock that stands still until it is advanced; claims and candidates on it live by its time.',
})

export const AdvancedTestClockBody = Type.Object(
  { ...FIELDS, transitions: Type.Integer({ description: 'How many transitions the advance made.' }) },
  { $id: 'AdvancedTestClock', description: 'A test clock where an advance has put it.' },
)

const NewTestClockBody = Type.Object(
  { frozen_time: Time('Where the clock begins.'), name: Type.Optional(CustomerName) },
  {
    additionalProperties: false,
    examples: [{ frozen_time: '2026-01-01T00:00:00Z', name: 'a month of support' }],
  },
)

const AdvanceBody = Type.Object(
  { frozen_time: Time('Where to advance the clock to; not before where it stands.') },
  { additionalProperties: false, examples: [{ frozen_time: '2026-02-01T00:00:00Z' }] },
)

const tags = ['Test clocks']
const params = Type.Object({ id: Uuid('The test clock.') })

/** Passed in, because `checks/` implements it and this room may not import from `checks/`. @throws TEST_CLOCK_NOT_FOUND */
type Advance = (
  app: App,
  request: { userId: string; id: string; frozenTime: Date },
) => Promise<{ clock: TestClock; transitions: number }>

export const testClockRoutes = (app: App, advance: Advance): Route[] => [
  createTestClockRoute(app),
  listTestClocksRoute(app),
  getTestClockRoute(app),
  advanceTestClockRoute(app, advance),
  deleteTestClockRoute(app),
]

const createTestClockRoute = (app: App) =>
  onceRoute(app, {
    method: 'POST',
    url: '/v1/test_clocks',
    schema: {
      operationId: 'createTestClock',
      summary: 'Create a test clock',
      description: 'Claims and candidates that are created on it live by its time, and by no other.',
      tags,
      body: NewTestClockBody,
      response: responses(
        { 201: { description: 'The test clock.', headers: LOCATION, schema: ref(TestClockBody) } },
        ONCE_ERRORS,
      ),
    },
    answer: async (context, request) => {
      const { name = null, frozen_time } = request.body
      const frozenTime = readTime(frozen_time)
      const clock = await createTestClock(context, { name, frozenTime })
      const headers = { Location: `/v1/test_clocks/${clock.id}` }
      return { status: 201, headers, body: presentTestClock(clock) }
    },
  })

const listTestClocksRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/test_clocks',
    schema: {
      operationId: 'listTestClocks',
      summary: 'List test clocks',
      description: 'The account’s test clocks in the order of their creation.',
      tags,
      querystring: listQuery({}),
      response: responses({ 200: { description: 'A page.', schema: pageOf(TestClockBody) } }, []),
    },
    handler: async (request) => {
      const { after, limit = 50, order = 'asc' } = request.query
      return presentPage(
        await listTestClocks(app, { userId: request.userId, after, limit, order }),
        presentTestClock,
      )
    },
  })

const getTestClockRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/test_clocks/:id',
    schema: {
      operationId: 'getTestClock',
      summary: 'Read a test clock',
      tags,
      params,
      response: responses({ 200: { description: 'The test clock.', schema: ref(TestClockBody) } }, [
        'TEST_CLOCK_NOT_FOUND',
      ]),
    },
    handler: async (request) =>
      presentTestClock(await getTestClock(app, request.userId, request.params.id.toLowerCase())),
  })

const advanceTestClockRoute = (app: App, advance: Advance) =>
  route({
    method: 'POST',
    url: '/v1/test_clocks/:id/advance',
    schema: {
      operationId: 'advanceTestClock',
      summary: 'Advance a test clock',
      description:
        'Runs the scheduled checks of every whole minute after the old time up to and including the new one, as the ' +
        'live service would have. All or nothing; advances of one clock come one after the other.',
      tags,
      params,
      body: AdvanceBody,
      response: responses(
        { 200: { description: 'The clock, advanced.', schema: ref(AdvancedTestClockBody) } },
        [...BODY_ERRORS, 'TEST_CLOCK_NOT_FOUND'],
      ),
    },
    handler: async (request) => {
      const { userId, params, body } = request
      const frozenTime = readTime(body.frozen_time)
      const id = params.id.toLowerCase()
      const { clock, transitions } = await advance(app, { userId, id, frozenTime })
      return { ...presentTestClock(clock), transitions }
    },
  })

const deleteTestClockRoute = (app: App) =>
  route({
    method: 'DELETE',
    url: '/v1/test_clocks/:id',
    schema: {
      operationId: 'deleteTestClock',
      summary: 'Delete a test clock',
      description: 'Its claims and candidates go with it, and their aliases are free again.',
      tags,
      params,
      response: responses({ 204: { description: 'Deleted.' } }, [...BODY_ERRORS, 'TEST_CLOCK_NOT_FOUND']),
    },
    handler: async (request, reply) => {
      await deleteTestClock(app, request.userId, request.params.id.toLowerCase())
      return reply.code(204).send()
    },
  })

const presentTestClock = (clock: TestClock): Static<typeof TestClockBody> => ({
  ...presentTestClockThen(clock),
  next_due_at: clock.nextDueAt,
})

export const presentTestClockThen = (
  clock: Omit<TestClock, 'nextDueAt'>,
): Static<typeof TestClockThenBody> => ({
  id: clock.id,
  user_id: clock.userId,
  name: clock.name,
  frozen_time: clock.frozenTime,
  created_at: clock.createdAt,
})
