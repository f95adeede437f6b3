import { isCurrency } from '../../domain/currency.ts'
import type { Account, ExpectedVersions, Versioned } from '../../domain/records.ts'
import { validationError } from '../../errors.ts'
import { findAccount, setCurrency } from '../../storage/accounts/users.ts'
import type { App } from '../app.ts'
import { changedSince } from '../changed-since.ts'

/** The account that asks. Accounts are never deleted. */
export async function getMe(app: App, userId: string): Promise<Versioned<Account>> {
  const account = await findAccount(app.db.reads.for(userId), userId)
  if (!account) throw new Error(`the account ${userId} of a valid token or session is gone`)
  return account
}

/**
 * Sets the currency in which the account counts its prices; no price changes.
 * @throws VALIDATION_ERROR, PRECONDITION_FAILED
 */
export async function updateMe(
  app: App,
  userId: string,
  currency: string | null,
  expected: ExpectedVersions,
): Promise<Versioned<Account>> {
  if (currency !== null && !isCurrency(currency)) {
    const message = 'must be the code of a currency (ISO 4217), such as EUR'
    throw validationError([{ path: 'currency', message }])
  }
  const account = await setCurrency(app.db.writes.for(userId), userId, currency, expected)
  if (!account) throw changedSince('account')
  return account
}
