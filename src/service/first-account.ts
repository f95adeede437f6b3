import { bootstrapAccount, showFirstToken } from '../accounts/bootstrap-account.ts'
import { inviteFirstAccount } from '../accounts/invite-first-account.ts'
import { listUsers } from '../accounts/users.ts'
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { unlessAborted } from '../platform/database/unless-aborted.ts'

/** The first account, for the banner of a start. */
export interface FirstAccount {
  /** Its email. */
  owner: string
  /** Whether this start has created it with the token of the settings. */
  hasGivenToken: boolean
  /** The key of its one-time link; null if someone can sign in to it. */
  welcomeKey: string | null
  /** Shows and then stores a first token, unless it has a token. */
  showFirstToken: (show: (token: string | null) => Promise<void>) => Promise<void>
}

/** Makes the account if there is none, and a new one-time link while nobody can sign in to it. */
export async function welcomeFirstAccount(
  app: App,
  { bootstrapToken }: Config,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<FirstAccount> {
  const isNew = await unlessAborted(signal, bootstrapAccount(app, bootstrapToken))
  const welcomeKey = await unlessAborted(signal, inviteFirstAccount(app))
  const [first] = await unlessAborted(signal, listUsers(app))
  const owner = first?.email ?? ''
  if (isNew) report(`Making the account ${owner}`)
  return {
    owner,
    hasGivenToken: isNew && bootstrapToken !== null,
    welcomeKey,
    showFirstToken: (show) => (bootstrapToken === null ? showFirstToken(app, show) : show(null)),
  }
}
