import { type Invitation, listInvitationsOf } from '../storage/invitations.ts'
import { newestFirst } from '../storage/newest-first.ts'
import type { App } from './app.ts'

/** Those that the account made and did not revoke, newest first. */
export const listInvitations = (app: App, userId: string): AsyncGenerator<Invitation[]> =>
  newestFirst((after, limit) => listInvitationsOf(app.db.reads.for(userId), userId, after, limit))
