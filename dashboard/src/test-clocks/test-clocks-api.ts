import { queryOptions } from '@tanstack/react-query'
import { get, post, remove } from '../api/client.ts'
import type { Page, TestClock } from '../api/records.ts'

export const testClocksQuery = (after?: string, limit = 100) =>
  queryOptions({
    queryKey: ['test-clocks', 'list', after, limit],
    queryFn: ({ signal }) => get<Page<TestClock>>('/v1/test_clocks', { order: 'desc', limit, after }, signal),
  })

export const testClockQuery = (id: string) =>
  queryOptions({
    queryKey: ['test-clocks', 'one', id],
    queryFn: ({ signal }) => readTestClock(id, signal),
  })

export const readTestClock = (id: string, signal: AbortSignal): Promise<TestClock> =>
  get(`/v1/test_clocks/${encodeURIComponent(id)}`, {}, signal)

export const createTestClock = (body: { frozen_time: string; name?: string }): Promise<TestClock> =>
  post('/v1/test_clocks', body)

/** The response has the number of transitions. */
export const advanceTestClock = (
  id: string,
  frozenTime: string,
): Promise<TestClock & { transitions: number }> =>
  post(`/v1/test_clocks/${id}/advance`, { frozen_time: frozenTime })

/** Also deletes its claims and candidates. */
export const deleteTestClock = (id: string): Promise<void> => remove(`/v1/test_clocks/${id}`)
