import type { Static } from 'typebox'
import type { Account, ApiToken, Invitation } from '../core/records.ts'
import type { AccountBody, ApiTokenBody, InvitationBody } from './account-bodies.ts'

/* Response bodies of accounts, API tokens and invitations. */

export function presentAccount({
  id,
  email,
  name,
  currency,
  timeZone,
  createdAt,
}: Account): Static<typeof AccountBody> {
  return { id, email, name, currency, time_zone: timeZone, created_at: createdAt }
}

export function presentApiToken(token: ApiToken): Static<typeof ApiTokenBody> {
  return {
    id: token.id,
    name: token.name,
    session_id: token.sessionId,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    last_used_at: token.lastUsedAt,
    revoked_at: token.revokedAt,
  }
}

export function presentInvitation(invitation: Invitation): Static<typeof InvitationBody> {
  return {
    id: invitation.id,
    email: invitation.email,
    created_at: invitation.createdAt,
    expires_at: invitation.expiresAt,
    used_at: invitation.usedAt,
  }
}
