import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../api/client.ts'
import { POLL_MS } from '../api/query-client.ts'
import type { Overview } from '../api/records.ts'

interface OverviewQuery {
  days: number
  customer_id?: string | undefined
  test_clock_id?: string | undefined
}

export const overviewQuery = (query: OverviewQuery) =>
  queryOptions({
    queryKey: ['overview', query],
    queryFn: ({ signal }) => get<Overview>('/v1/overview', { ...query }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  })
