import type { Connection } from '../../platform/database/connection.ts'
import type { ClaimCopies } from './claim-copies.ts'
import { type PendingSubmission, type SubmissionResult, setResults } from './pending-submission.ts'
import { type ClaimSubmissions, recordGroup } from './record-group.ts'
import { endsTheWork, isRetry, LOG_IS_LONG, OVERTAKEN, resultOfFailure } from './submission-retry.ts'

/** For how long those of one group are sent one by one; the rest goes again with another. */
const LONGEST_APART_MS = 5_000

/**
 * As `recordGroup`; if the database refuses what is written together, each is sent alone: one of them is at fault, and
 * must not fail its neighbours. It never rejects, and each has a result.
 */
export async function sendGroup(
  db: Connection,
  copies: ClaimCopies,
  group: readonly ClaimSubmissions[],
): Promise<void> {
  await recordSurely(db, copies, group)
  const refused = group.filter(({ submissions }) => submissions.some(isRefused))
  if (refused.length === 0) return
  const isOver = group.some(({ submissions }) =>
    submissions.some(({ result }) => result !== null && endsTheWork(result)),
  )
  const alone = new Alone(db, copies, isOver)
  for (const one of refused) await alone.sendEach(one)
}

async function recordSurely(
  db: Connection,
  copies: ClaimCopies,
  group: readonly ClaimSubmissions[],
): Promise<void> {
  try {
    await recordGroup(db, copies, group)
  } catch (error) {
    // Nothing was written of any of them.
    const together = group.reduce((sum, { submissions }) => sum + submissions.length, 0)
    const result = resultOfFailure(error as Error, together)
    for (const { submissions } of group) setResults(submissions, result)
  }
}

const isRefused = ({ result }: PendingSubmission) =>
  result !== null && isRetry(result) && result.because === 'refused together'

class Alone {
  readonly #db: Connection
  readonly #copies: ClaimCopies
  readonly #end = performance.now() + LONGEST_APART_MS
  #isOver: boolean

  constructor(db: Connection, copies: ClaimCopies, isOver: boolean) {
    this.#db = db
    this.#copies = copies
    this.#isOver = isOver
  }

  /** One after the other; if one must be tried again so must all after it, or their order would be lost. */
  async sendEach({ claimId, submissions }: ClaimSubmissions): Promise<void> {
    let mustWait = false
    for (const one of submissions) {
      one.result = mustWait ? OVERTAKEN : await this.#send(claimId, one)
      mustWait ||= isRetry(one.result)
    }
  }

  async #send(claimId: string, one: PendingSubmission): Promise<SubmissionResult> {
    if (this.#isOver || performance.now() > this.#end) return OVERTAKEN
    await recordSurely(this.#db, this.#copies, [{ claimId, submissions: [one] }])
    const result = one.result ?? OVERTAKEN
    this.#isOver = endsTheWork(result)
    // With others it would be refused again once there is a copy.
    return result === LOG_IS_LONG ? { ...LOG_IS_LONG, goesAlone: true } : result
  }
}
