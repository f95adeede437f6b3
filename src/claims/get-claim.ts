import type { App } from '../app.ts'
import type { ClaimAddress, StoredClaim } from '../core/claims/claim.ts'
import { claimNotFound } from '../core/not-found.ts'
import { fillGaps } from '../platform/database/lists/fill-gaps.ts'
import { whyAbsent } from './archived/absent-claim.ts'
import { type LogItem, readClaimAndLog, readLogPage, readPayloads } from './claim-log-store.ts'

/** Long payloads that are read at a time, of a quarter of a megabyte at most. */
const PAYLOADS_AT_ONCE = 1

/** An event of a log, its payload as the JSON that was sent. */
export type LoggedEvent = LogItem & { payload: string }

/**
 * A claim or a candidate with its whole event log (§4.1, §4.2). Short ones are read together with others that are asked
 * for at the same time, long ones as the caller takes them: a log may have 64 MiB. It is
 * the log as it was when the claim was read: items are only ever added, and the claim knows how many it had.
 */
export async function getClaim(
  app: App,
  userId: string,
  address: ClaimAddress,
): Promise<{ claim: StoredClaim; log: AsyncGenerator<LoggedEvent[]> }> {
  const short = await app.shortClaims.do(userId, { userId, address })
  const found = short === 'long' ? await readClaimAndLog(app.db.reads.for(userId), userId, address) : short
  if (!found) throw await whyAbsent(app.db.reads.for(userId), { userId, address })
  const { claim, items } = found
  return { claim, log: readLog(app, claim, items, () => claimNotFound(address)) }
}

async function* readLog(
  app: App,
  { id, userId, eventCount }: StoredClaim,
  first: LogItem[],
  gone: () => Error,
): AsyncGenerator<LoggedEvent[]> {
  const db = app.db.reads.for(userId)
  let items = first
  for (let read = 0; read < eventCount; read += items.length) {
    if (read > 0) items = await readLogPage(db, id, read)
    // Deleted with its clock or archived in the meantime, it must not look like a shorter log.
    if (items.length === 0) throw gone()
    yield* fillGaps(items.slice(0, eventCount - read), {
      gaps: ['payload'],
      atOnce: PAYLOADS_AT_ONCE,
      read: (some) =>
        readPayloads(
          db,
          id,
          some.map(({ seq }) => seq),
        ),
      key: ({ seq }) => seq,
      gone,
    })
  }
}
