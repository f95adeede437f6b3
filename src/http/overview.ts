import type { Static } from 'typebox'
import type { App } from '../app/app.ts'
import type { Overview } from '../app/overview/get-overview.ts'
import { presentEither } from './claims/present-claim.ts'
import { route } from './route.ts'
import { OverviewBody, OverviewQuery } from './schemas/overview.ts'
import { ref, responses } from './schemas/responses.ts'

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
      const { customer_id, test_clock_id, days = 30, time_zone: timeZone = 'UTC' } = request.query
      return presentOverview(
        await app.overviews.get({
          userId: request.userId,
          customerId: customer_id?.toLowerCase() ?? null,
          testClockId: test_clock_id?.toLowerCase() ?? null,
          days,
          timeZone,
        }),
      )
    },
  })

function presentOverview(overview: Overview): Static<typeof OverviewBody> {
  const { asOf, statuses, pendingOutcomes, days, resolution, dueNext, overdue, recent } = overview
  return {
    as_of: asOf,
    statuses,
    pending_outcomes: pendingOutcomes,
    resolutions_by_day: days.map(({ day, CONFIRMED, FAILED }) => ({
      day,
      confirmed: CONFIRMED,
      failed: FAILED,
    })),
    resolution_seconds: { median: resolution.medianSeconds, count: resolution.count },
    due_next: dueNext.map(presentEither),
    overdue: { count: overdue.count, oldest_due_at: overdue.oldestDueAt },
    recent: recent.map(presentEither),
  }
}
