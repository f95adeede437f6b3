import { queryOptions } from '@tanstack/react-query'
import { get, post } from './client.ts'

/* The session API: signing in and out, and what belongs to it. */

interface Credentials {
  email: string
  password: string
}

export const signIn = (body: Credentials): Promise<unknown> => post('/api/auth/sign-in/email', body)

/** `invitation`: the key of a one-time link; without one only if sign-up is open. */
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
  /** Names it for revoking; in the list not the cookie's own. */
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
