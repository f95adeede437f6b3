import type { ClaimAddress, StoredClaim } from '../../domain/claims/claim.ts'
import { unavailable } from '../../errors.ts'
import { findArchivedPosition } from '../../storage/archive/archived-claims.ts'
import { type ClaimFilter, findClaimPosition, listClaims } from '../../storage/claims/claim-list.ts'
import type { App } from '../app.ts'
import { fillGaps } from '../fill-gaps.ts'
import { CONTRACTS_AT_ONCE, readContracts } from './read-contracts.ts'

/** A page of a list; its claims are read to the end as they are asked for. */
export interface ClaimPage {
  claims: AsyncIterable<StoredClaim[]> | StoredClaim[][]
  /** The id of the last of them; null on the last page. */
  nextCursor: string | null
}

export const EMPTY_PAGE: ClaimPage = { claims: [], nextCursor: null }

/**
 * All claims of the page are as they were at one moment. Contracts never change, so long ones may be read later: a
 * page of them has six megabytes.
 */
export async function readClaimPage(app: App, filter: ClaimFilter): Promise<ClaimPage> {
  const { userId } = filter
  const { rows, hasMore } = await listClaims(app.db.reads.for(userId), filter)
  const claims = fillGaps(rows, {
    gap: 'contract',
    atOnce: CONTRACTS_AT_ONCE,
    key: ({ id }) => id,
    read: (some) =>
      readContracts(
        app,
        userId,
        some.map(({ id }) => id),
      ),
    // Deleted with its clock or archived in the meantime.
    gone: () => unavailable('A claim of the page was deleted while it was read.'),
  })
  return { claims, nextCursor: hasMore ? (rows.at(-1)?.id ?? null) : null }
}

/**
 * The position of a claim or candidate in its account's list; null if the account has none with this id. Of one that was
 * archived the one that it had: whoever has read the list up to it goes on.
 */
export async function findPosition(
  app: App,
  userId: string,
  kind: ClaimAddress['kind'],
  id: string,
): Promise<string | null> {
  const db = app.db.reads.for(userId)
  return (await findClaimPosition(db, userId, kind, id)) ?? (await findArchivedPosition(db, userId, kind, id))
}
