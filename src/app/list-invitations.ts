import { type Invitation, listInvitationsOf } from '../storage/invitations.ts'
import type { App } from './app.ts'

/** Those that the account made and did not revoke, newest first. */
export function listInvitations(app: App, userId: string): Promise<Invitation[]> {
  return listInvitationsOf(app.db.reads.for(userId), userId)
}
