import { queryOptions } from '@tanstack/react-query'
import { get, post, remove } from '../api/client.ts'
import type { ApiToken } from '../api/records.ts'

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => get<{ data: ApiToken[] }>('/v1/tokens', {}, signal).then(({ data }) => data),
})

/** `token` is only in this response. */
export const createToken = (body: {
  name: string
  expires_at?: string
}): Promise<ApiToken & { token: string }> => post('/v1/tokens', body)

export const revokeToken = (id: string): Promise<void> => remove(`/v1/tokens/${id}`)
