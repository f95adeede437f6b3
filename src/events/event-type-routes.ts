import { Type } from 'typebox'
import type { App } from '../app.ts'
import { MAX_KNOWN_EVENT_TYPES } from '../core/limits.ts'
import { DateTime } from '../platform/http/responses/field-schemas.ts'
import { responses } from '../platform/http/responses/responses.ts'
import { route } from '../platform/http/route.ts'
import { listEventTypes } from './event-types.ts'

const EventTypesBody = Type.Object({
  data: Type.Array(
    Type.Object({
      type: Type.String({ examples: ['ticket_resolved'] }),
      count: Type.Integer({ minimum: 1, description: 'Number among the sampled events.' }),
      newest_at: DateTime('Recording time of the newest of them.'),
    }),
    { maxItems: MAX_KNOWN_EVENT_TYPES },
  ),
})

/** §4.3 */
export const listEventTypesRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/event_types',
    schema: {
      operationId: 'listEventTypes',
      summary: 'List the types of the latest events',
      description:
        'Of the newest 50 claims and 50 candidates in each status the newest 20 items of the log are looked at. ' +
        `The most frequent type comes first, and ${MAX_KNOWN_EVENT_TYPES} at most are told. Types of the service’s own events are left out.`,
      tags: ['Events'],
      response: responses({ 200: { description: 'The types.', schema: EventTypesBody } }, []),
    },
    handler: async ({ userId }) => {
      const types = await listEventTypes(app, userId)
      return {
        data: types.map(({ type, count, newestAt }) => ({ type, count, newest_at: newestAt.toISOString() })),
      }
    },
  })
