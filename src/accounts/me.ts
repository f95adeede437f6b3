import type { App } from '../app.ts'
import { changedSince } from '../core/record-errors.ts'
import type { Account, ExpectedVersions, Versioned } from '../core/records.ts'
import { isCurrency } from '../kernel/currency.ts'
import { validationError } from '../kernel/errors.ts'
import { dayAt, isTimeZone } from '../kernel/time-zone.ts'
import { spellTimeZone } from './time-zone.ts'
import { type AccountChanges, findAccount, updateAccount } from './user-store.ts'

/** The account that asks. Accounts are never deleted. */
export async function getMe(app: App, userId: string): Promise<Versioned<Account>> {
  const account = await findAccount(app.db.reads.for(userId), userId)
  if (!account) throw new Error(`the account ${userId} of a valid token or session is gone`)
  return account
}

/**
 * Changes what is given: in which currency the account counts its prices, of which none changes, and by whose days it goes.
 * @throws VALIDATION_ERROR, PRECONDITION_FAILED
 */
export async function updateMe(
  app: App,
  userId: string,
  { currency, timeZone }: AccountChanges,
  expected: ExpectedVersions,
): Promise<Versioned<Account>> {
  if (typeof currency === 'string' && !isCurrency(currency)) {
    const message = 'must be the code of a currency (ISO 4217), such as EUR'
    throw validationError([{ path: 'currency', message }])
  }
  const db = app.db.writes.for(userId)
  const spelled = timeZone === undefined ? undefined : await spellTimeZone(db, timeZone)
  const account = await updateAccount(db, userId, { currency, timeZone: spelled }, expected)
  if (!account) throw changedSince('account')
  app.contractHints.setCurrency(userId, account.currency)
  return account
}

/** The account's day that it is now, such as 2026-01-31; in UTC if the runtime does not know the time zone any more. */
export async function getToday(app: App, userId: string): Promise<string> {
  const { timeZone } = await getMe(app, userId)
  return dayAt(new Date(), isTimeZone(timeZone) ? timeZone : 'UTC')
}
