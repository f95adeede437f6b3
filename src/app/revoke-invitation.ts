import { revokeInvitationOf } from '../storage/invitations.ts'
import type { App } from './app.ts'
import { invitationNotFound } from './not-found.ts'

/** Its key stops working at once; an account that was made with it stays. @throws INVITATION_NOT_FOUND */
export async function revokeInvitation(app: App, userId: string, id: string): Promise<void> {
  if (!(await revokeInvitationOf(app.db.writes.for(userId), userId, id))) throw invitationNotFound(id)
}
