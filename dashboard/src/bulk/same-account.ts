import { readAccount } from '../api/account.ts'
import { ApiError } from '../api/client.ts'
import type { Account } from '../api/records.ts'
import { isolated } from '../isolated.ts'

/** Somebody else has signed in in this browser, and has none of what the list holds. */
export class OtherAccount extends Error {}

/** Who is signed in has the list. @throws OtherAccount */
export async function assertAccount(account: Account, signal: AbortSignal): Promise<void> {
  const now = await readAccount(signal)
  if (now.id === account.id) return
  const whose = `The list is that of ${isolated(account.email)}, and ${isolated(now.email)} is signed in now.`
  throw new OtherAccount(`${whose} ${signInAs(account)}`)
}

const signInAs = ({ email }: Account) => `To go on, sign in as ${isolated(email)} in another tab.`

export function troubleInWords(trouble: unknown, account: Account): string {
  if (trouble instanceof ApiError && trouble.status === 401) return `You are signed out. ${signInAs(account)}`
  if (trouble instanceof ApiError && trouble.details.length > 0)
    return trouble.details.map(({ path, message }) => `${path} ${message}`).join('; ')
  return trouble instanceof Error ? trouble.message : String(trouble)
}
