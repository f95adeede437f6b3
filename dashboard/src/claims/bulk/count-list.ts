import { acceptsEvents } from '../../../../src/core/claims/decide-at.ts'
import type { Status } from '../../../../src/core/claims/lifecycle.ts'
import type { Account, ClaimKind } from '../../api/records.ts'
import { type ClaimFilters, listClaims, nameOf } from '../claims-api.ts'
import { retryUntilAnswered } from './retry.ts'
import { assertSameAccount } from './same-account.ts'

/** The maximum number of recipients of one run. */
export const MAX_CLAIMS = 10_000
const PAGE = 100

/** A claim or candidate of the list. */
export interface CountedClaim {
  /** An id or an alias. */
  name: string
  reference: string | null
  status: Status
  acceptsEvents: boolean
  /** When the clock is deleted, the candidate is deleted and its alias is free. */
  testClockId: string | null
}

export class TooManyClaimsError extends Error {}

/**
 * Reads the whole list. A claim that changes meanwhile may appear twice and counts once.
 * @throws TooManyClaimsError, AccountChangedError
 */
export async function countList(
  kind: ClaimKind,
  filters: ClaimFilters,
  account: Account,
  signal: AbortSignal,
  onProgress: (found: number, problem: unknown) => void,
): Promise<CountedClaim[]> {
  const found = new Map<string, CountedClaim>()
  const ask = <T>(read: () => Promise<T>) =>
    retryUntilAnswered(read, signal, (problem) => onProgress(found.size, problem))
  await ask(() => assertSameAccount(account, signal))
  let after: string | undefined
  do {
    const cursor = after
    const { data, next_cursor } = await ask(() =>
      listClaims(kind, filters, { after: cursor, limit: PAGE }, signal),
    )
    for (const one of data) {
      const name = nameOf(one)
      const reference = 'id' in one ? one.reference : null
      const { status, scheduled_outcome: scheduledOutcome, contract, test_clock_id: testClockId } = one
      const isAccepting = acceptsEvents({ status, scheduledOutcome, contract })
      found.set(name, { name, reference, status, acceptsEvents: isAccepting, testClockId })
    }
    if (found.size > MAX_CLAIMS) throw new TooManyClaimsError()
    onProgress(found.size, null)
    after = next_cursor ?? undefined
  } while (after !== undefined)
  await ask(() => assertSameAccount(account, signal))
  return [...found.values()]
}
