import { queryOptions } from '@tanstack/react-query'
import { get } from './client.ts'

/** Of the account's latest events; the most frequent first. Nothing fails if they are not known: hints and proposals are left out. */
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: async ({ signal }) => {
    const { data } = await get<{ data: { type: string }[] }>('/v1/event_types', {}, signal)
    return data.map(({ type }) => type)
  },
})
