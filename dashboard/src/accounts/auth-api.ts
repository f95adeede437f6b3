import { queryOptions } from '@tanstack/react-query'
import { get, post } from '../api/client.ts'

/* The session API: sign-in, sign-up, passwords and sessions. */

interface Credentials {
  email: string
  password: string
}

export const signIn = (body: Credentials): Promise<unknown> => post('/api/auth/sign-in/email', body)

/** `invitation` is the key of a one-time link. It may be missing if sign-up is open. */
export const signUp = (body: Credentials & { name: string; invitation?: string }): Promise<unknown> =>
  post('/api/auth/sign-up/email', body)

/** Ends all other sessions too. */
export const changePassword = (body: { currentPassword: string; newPassword: string }): Promise<unknown> =>
  post('/api/auth/change-password', body)

interface OpenInvitation {
  email: string | null
  purpose: 'first-account' | 'invitation'
}

export const openInvitationQuery = (key: string) =>
  queryOptions({
    queryKey: ['open-invitation', key],
    queryFn: () => post<OpenInvitation>('/api/invitations/lookup', { key }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const sessionSettingsQuery = queryOptions({
  queryKey: ['session-settings'],
  queryFn: () => get<{ open_sign_up: boolean }>('/api/session-settings'),
  staleTime: 60_000,
})

export interface SessionRecord {
  id: string
  /** Identifies the session for `revokeSession`. It is not the token of the cookie. */
  token: string
  createdAt: string
  updatedAt: string
  expiresAt: string
  ipAddress?: string | null
  userAgent?: string | null
}

export const currentSessionQuery = queryOptions({
  queryKey: ['sessions', 'current'],
  queryFn: () => get<{ session: SessionRecord } | null>('/api/auth/get-session'),
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions', 'list'],
  queryFn: () => get<SessionRecord[]>('/api/auth/list-sessions'),
})

export const revokeSession = (token: string): Promise<unknown> => post('/api/auth/revoke-session', { token })

export const revokeOtherSessions = (): Promise<unknown> => post('/api/auth/revoke-other-sessions')
