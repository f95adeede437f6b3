import type { Static } from 'typebox'
import type { App } from '../../app/app.ts'
import { shareOverviews } from '../../app/share-overviews.ts'
import { presentOverview } from '../present.ts'
import { OverviewBody, OverviewQuery } from '../schemas/overview.ts'
import { ref, responses } from '../schemas/responses.ts'
import type { TypedServer } from '../typed-server.ts'

export function addOverviewRoutes(server: TypedServer, app: App): void {
  const getOverview = shareOverviews(app)

  server.get(
    '/v1/overview',
    {
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
    },
    async (request): Promise<Static<typeof OverviewBody>> => {
      const { customer_id, test_clock_id, days = 30, time_zone: timeZone = 'UTC' } = request.query
      return presentOverview(
        await getOverview({
          userId: request.userId,
          customerId: customer_id?.toLowerCase() ?? null,
          testClockId: test_clock_id?.toLowerCase() ?? null,
          days,
          timeZone,
        }),
      )
    },
  )
}
