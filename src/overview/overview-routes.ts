import { type Static, Type } from 'typebox'
import { getMe } from '../accounts/me.ts'
import type { App } from '../app.ts'
import { CandidateSummaryBody, ClaimSummaryBody } from '../claims/claim-bodies.ts'
import { presentEither } from '../claims/present-claim.ts'
import { contextOf } from '../platform/database/context.ts'
import { DateTime, DateTimeOrNull, TimeZone, Uuid } from '../platform/http/responses/field-schemas.ts'
import { ref, responses } from '../platform/http/responses/responses.ts'
import { route } from '../platform/http/route.ts'
import type { Overview } from './get-overview.ts'

const Tally = Type.Object(
  {
    count: Type.Integer(),
    amount: Type.String({
      pattern: '^\\d+(\\.\\d+)?$',
      description: 'Sum of the prices, as an exact decimal.',
      examples: ['1234.5'],
    }),
  },
  { title: 'Tally', description: 'How many, and what they come to.' },
)

const Records = (description: string, maxItems: number) =>
  Type.Array(
    Type.Unsafe<Static<typeof ClaimSummaryBody> | Static<typeof CandidateSummaryBody>>({
      anyOf: [ref(ClaimSummaryBody), ref(CandidateSummaryBody)],
    }),
    { description, maxItems },
  )

export const OverviewBody = Type.Object(
  {
    as_of: DateTime('The time of the figures; on a test clock, where the clock stands.'),
    time_zone: TimeZone('Whose days they are.'),
    statuses: Type.Object({ OPEN: Tally, PENDING: Tally, CONFIRMED: Tally, FAILED: Tally }),
    pending_outcomes: Type.Object(
      { CONFIRMED: Tally, FAILED: Tally },
      { description: 'What the PENDING ones will resolve to.' },
    ),
    resolutions_by_day: Type.Array(
      Type.Object({
        day: Type.String({
          description: 'In `time_zone`, from the first moment of its date to that of the next.',
          examples: ['2026-01-31'],
        }),
        begins_at: DateTime('Its first moment: a list from there (`resolved_from`) has what is counted.'),
        confirmed: Tally,
        failed: Tally,
      }),
      { description: 'Every day of the period, oldest first, today last.' },
    ),
    resolution_seconds: Type.Object(
      {
        median: Type.Unsafe<number | null>({ type: ['number', 'null'], examples: [86_400.5] }),
        count: Type.Integer(),
      },
      { description: 'From creation to resolution, of those that were resolved in the period.' },
    ),
    due_next: Records('Those whose window ends next, soonest first.', 5),
    overdue: Type.Object(
      { count: Type.Integer(), oldest_due_at: DateTimeOrNull('The earliest of their due_at.') },
      { description: 'Those that a scheduled check should have moved more than a minute ago.' },
    ),
    recent: Records('Those that entered their status last, latest first.', 10),
  },
  { $id: 'Overview', description: 'The figures of claims and candidates together.' },
)

const OverviewQuery = Type.Object(
  {
    customer_id: Type.Optional(Uuid('Only those of this customer.')),
    test_clock_id: Type.Optional(Uuid('Only those on this test clock. Without it: only those on none.')),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'Days of the period, with today.' }),
    ),
    time_zone: Type.Optional(
      TimeZone('Whose days: a name of the IANA time zone database. Without it: the account’s.'),
    ),
  },
  { additionalProperties: false },
)

export const getOverviewRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/overview',
    schema: {
      operationId: 'getOverview',
      summary: 'Read the overview',
      description:
        'The figures of claims and candidates together, all of one moment (`as_of`). An answer that took long to ' +
        'make is given again for up to ten seconds: ask as often as you like.',
      tags: ['Overview'],
      querystring: OverviewQuery,
      response: responses({ 200: { description: 'The overview.', schema: ref(OverviewBody) } }, [
        'CUSTOMER_NOT_FOUND',
        'TEST_CLOCK_NOT_FOUND',
      ]),
    },
    handler: async (request): Promise<Static<typeof OverviewBody>> => {
      const { customer_id, test_clock_id, days = 30, time_zone } = request.query
      const { userId } = request
      // Etc/GMT+5 with a + that was not encoded as %2B.
      const timeZone = time_zone?.replaceAll(' ', '+') ?? (await getMe(contextOf(app.db, userId))).timeZone
      const overview = await app.overviews.get({
        userId,
        customerId: customer_id?.toLowerCase() ?? null,
        testClockId: test_clock_id?.toLowerCase() ?? null,
        days,
        timeZone,
      })
      return presentOverview(overview, timeZone)
    },
  })

function presentOverview(overview: Overview, timeZone: string): Static<typeof OverviewBody> {
  const { asOf, statuses, pendingOutcomes, days, resolution, dueNext, overdue, recent } = overview
  return {
    as_of: asOf,
    time_zone: timeZone,
    statuses,
    pending_outcomes: pendingOutcomes,
    resolutions_by_day: days.map(({ day, start, CONFIRMED, FAILED }) => ({
      day,
      begins_at: start,
      confirmed: CONFIRMED,
      failed: FAILED,
    })),
    resolution_seconds: { median: resolution.medianSeconds, count: resolution.count },
    due_next: dueNext.map(presentEither),
    overdue: { count: overdue.count, oldest_due_at: overdue.oldestDueAt },
    recent: recent.map(presentEither),
  }
}
