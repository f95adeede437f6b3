import { queryOptions } from '@tanstack/react-query'
import { get } from '../api/client.ts'

/** Event types of the account's latest events, most frequent first. If the request fails, hints and suggestions are left out. */
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: async ({ signal }) => {
    const { data } = await get<{ data: { type: string }[] }>('/v1/event_types', {}, signal)
    return data.map(({ type }) => type)
  },
})
