import { queryOptions } from '@tanstack/react-query'
import { get, post, remove } from '../api/client.ts'
import type { Invitation } from '../api/records.ts'

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) =>
    get<{ data: Invitation[] }>('/v1/invitations', {}, signal).then(({ data }) => data),
})

/** `url`, the one-time link, is only in this response. */
export const createInvitation = (body: { email?: string }): Promise<Invitation & { url: string }> =>
  post('/v1/invitations', body)

export const revokeInvitation = (id: string): Promise<void> => remove(`/v1/invitations/${id}`)
