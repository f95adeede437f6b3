import { readAccount } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import type { Account } from '../../api/records.ts'
import { isolated } from '../../format/bidi.ts'

/** Another account has signed in in this browser. It does not have the listed claims. */
export class OtherAccount extends Error {}

/** Checks that the owner of the list is still signed in. @throws OtherAccount */
export async function assertAccount(account: Account, signal: AbortSignal): Promise<void> {
  const now = await readAccount(signal)
  if (now.id === account.id) return
  const whose = `The list belongs to ${isolated(account.email)}, but ${isolated(now.email)} is signed in now.`
  throw new OtherAccount(`${whose} ${signInAs(account)}`)
}

const signInAs = ({ email }: Account) => `To continue, sign in as ${isolated(email)} in another tab.`

export function troubleInWords(trouble: unknown, account: Account): string {
  if (trouble instanceof ApiError && trouble.status === 401) return `You are signed out. ${signInAs(account)}`
  if (trouble instanceof ApiError && trouble.details.length > 0)
    return trouble.details.map(({ path, message }) => `${path} ${message}`).join('; ')
  return trouble instanceof Error ? trouble.message : String(trouble)
}
