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
import { MAX_DUE_NEXT, MAX_OVERVIEW_DAYS, MAX_RECENT, OVERVIEW_DAYS } from './limits.ts'

const Tally = Type.Object(
  {
    count: Type.Integer(),
    amount: Type.String({
      pattern: '^\\d+(\\.\\d+)?$',
      description: 'Sum of the prices, as an exact decimal.',
      examples: ['1234.5'],
    }),
  },
  { title: 'Tally', description: 'A number of records and the sum of their prices.' },
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
    as_of: DateTime('The time of the figures; on a test clock, its time.'),
    time_zone: TimeZone('The time zone of the days.'),
    statuses: Type.Object({ OPEN: Tally, PENDING: Tally, CONFIRMED: Tally, FAILED: Tally }),
    pending_outcomes: Type.Object(
      { CONFIRMED: Tally, FAILED: Tally },
      { description: 'The scheduled outcomes of PENDING records.' },
    ),
    resolutions_by_day: Type.Array(
      Type.Object({
        day: Type.String({
          description: 'A date in `time_zone`.',
          examples: ['2026-01-31'],
        }),
        begins_at: DateTime('The first moment of the day. As `resolved_from` it lists the counted records.'),
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
      {
        description: 'The time from creation to resolution of the records that were resolved in the period.',
      },
    ),
    due_next: Records('The records whose window ends next, soonest first.', MAX_DUE_NEXT),
    overdue: Type.Object(
      { count: Type.Integer(), oldest_due_at: DateTimeOrNull('The earliest due_at.') },
      { description: 'Records that a scheduled check should have moved more than a minute ago.' },
    ),
    recent: Records('The records that most recently changed their status, latest first.', MAX_RECENT),
  },
  { $id: 'Overview', description: 'The figures of claims and candidates together.' },
)

const OverviewQuery = Type.Object(
  {
    customer_id: Type.Optional(Uuid('Only records of this customer.')),
    test_clock_id: Type.Optional(
      Uuid('Only records on this test clock. Default: only records without a test clock.'),
    ),
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_OVERVIEW_DAYS,
        default: OVERVIEW_DAYS,
        description: 'Days of the period, including today.',
      }),
    ),
    time_zone: Type.Optional(
      TimeZone('The time zone of the days: a name of the IANA time zone database. Default: the account’s.'),
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
        'The figures of claims and candidates together, all from one moment (`as_of`). An answer that took long to ' +
        'compute is reused for up to ten seconds, so frequent requests are cheap.',
      tags: ['Overview'],
      querystring: OverviewQuery,
      response: responses({ 200: { description: 'The overview.', schema: ref(OverviewBody) } }, [
        'CUSTOMER_NOT_FOUND',
        'TEST_CLOCK_NOT_FOUND',
      ]),
    },
    handler: async (request): Promise<Static<typeof OverviewBody>> => {
      const { customer_id, test_clock_id, days = OVERVIEW_DAYS, time_zone } = request.query
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
