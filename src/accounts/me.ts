import type { App } from '../app.ts'
import { changedSince } from '../core/record-errors.ts'
import type { Account, ExpectedVersions, Versioned } from '../core/records.ts'
import { isCurrency } from '../kernel/currency.ts'
import { validationError } from '../kernel/errors.ts'
import { dayAt, isTimeZone } from '../kernel/time-zone.ts'
import { type Context, contextOf } from '../platform/database/context.ts'
import { spellTimeZone } from './time-zone.ts'
import { type AccountChanges, findAccount, updateAccount } from './user-store.ts'

/** The caller's account. Accounts are never deleted. */
export async function getMe({ userId, read }: Pick<Context, 'userId' | 'read'>): Promise<Versioned<Account>> {
  const account = await findAccount(read, userId)
  if (!account) throw new Error(`the account ${userId} of a valid token or session is gone`)
  return account
}

/**
 * Changes the given fields. No price is converted.
 * @throws VALIDATION_ERROR, PRECONDITION_FAILED
 */
export async function updateMe(
  { contractHints }: Pick<App, 'contractHints'>,
  { userId, write: db }: Context,
  { currency, timeZone }: AccountChanges,
  expected: ExpectedVersions,
): Promise<Versioned<Account>> {
  if (typeof currency === 'string' && !isCurrency(currency)) {
    const message = 'must be the code of a currency (ISO 4217), such as EUR'
    throw validationError([{ path: 'currency', message }])
  }
  const spelled = timeZone === undefined ? undefined : await spellTimeZone(db, timeZone)
  const account = await updateAccount(db, userId, { currency, timeZone: spelled }, expected)
  if (!account) throw changedSince('account')
  contractHints.setCurrency(userId, account.currency)
  return account
}

/** Today's date in the account's time zone, such as 2026-01-31; in UTC if the runtime no longer knows the time zone. */
export async function getToday(app: App, userId: string): Promise<string> {
  const { timeZone } = await getMe(contextOf(app.db, userId))
  return dayAt(new Date(), isTimeZone(timeZone) ? timeZone : 'UTC')
}
