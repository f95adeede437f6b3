import { type BootstrapAccount, bootstrapAccount } from '../app/accounts/bootstrap-account.ts'
import { inviteFirstAccount } from '../app/accounts/invite-first-account.ts'
import { listUsers } from '../app/accounts/users.ts'
import type { App } from '../app/app.ts'
import type { Config } from '../config.ts'
import { unlessAborted } from '../storage/database/unless-aborted.ts'

/** What a start tells of the account that was made first. */
export interface FirstAccount {
  /** The account, if this start made it. */
  bootstrap: BootstrapAccount | null
  /** Its email. */
  owner: string
  /** The key of its one-time link; null once someone can sign in to it. */
  welcomeKey: string | null
}

/** Makes the account if there is none, and a new one-time link while nobody can sign in to it. */
export async function welcomeFirstAccount(
  app: App,
  { bootstrapToken }: Config,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<FirstAccount> {
  const showToken = ({ email, token }: BootstrapAccount) =>
    report(`Making the account ${email} with its API token, shown only this once: ${token}`)
  const show = bootstrapToken === null ? showToken : () => {}
  const bootstrap = await unlessAborted(signal, bootstrapAccount(app, bootstrapToken, show))
  const welcomeKey = await unlessAborted(signal, inviteFirstAccount(app))
  const [first] = await unlessAborted(signal, listUsers(app))
  return { bootstrap, owner: first?.email ?? '', welcomeKey }
}
