import { readAccount } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import type { Account } from '../../api/records.ts'
import { isolate } from '../../format/bidi.ts'

/** Another account has signed in in this browser. It does not have the listed claims. */
export class AccountChangedError extends Error {}

/** Checks that the owner of the list is still signed in. @throws AccountChangedError */
export async function assertSameAccount(account: Account, signal: AbortSignal): Promise<void> {
  const now = await readAccount(signal)
  if (now.id === account.id) return
  const whose = `The list belongs to ${isolate(account.email)}, but ${isolate(now.email)} is signed in now.`
  throw new AccountChangedError(`${whose} ${signInAs(account)}`)
}

const signInAs = ({ email }: Account) => `To continue, sign in as ${isolate(email)} in another tab.`

export function problemText(problem: unknown, account: Account): string {
  if (problem instanceof ApiError && problem.status === 401) return `You are signed out. ${signInAs(account)}`
  if (problem instanceof ApiError && problem.details.length > 0)
    return problem.details.map(({ path, message }) => `${path} ${message}`).join('; ')
  return problem instanceof Error ? problem.message : String(problem)
}
