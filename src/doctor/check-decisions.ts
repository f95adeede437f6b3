import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'
import type { Borrower } from '../platform/database/pool/borrower.ts'
import { type Finding, fault, ok, warning } from './finding.ts'
import { isStandby } from './server-facts-store.ts'
import { tryDecisions, Undecidable } from './try-decisions.ts'

const WHAT = 'Decisions'

/** Whether the database lets claims be created, settled, checked and advanced. The attempt is rolled back. */
export async function checkDecisions(db: Borrower): Promise<Finding> {
  if (db.distribution.isOn) return ok(WHAT, 'not tried on distributed tables')
  if (await isStandby(db))
    return warning(WHAT, 'not tried: this is a standby, which accepts no writes', 'Examine the primary too.')
  try {
    return (await tryDecisions(db))
      ? ok(WHAT, 'a claim can be created, settled, checked and advanced')
      : warning(WHAT, 'not tried: others hold locks', 'Find open transactions in pg_stat_activity.')
  } catch (error) {
    if (error instanceof Undecidable) return fault(WHAT, error.message, 'Undo the change in the database.')
    if (!(error instanceof DatabaseUnavailable)) throw error
    const { cause } = error
    return fault(
      WHAT,
      `not tried: ${(cause instanceof Error ? cause : error).message}`,
      'Allow writes to the database.',
    )
  }
}
