import type { Connection } from '../../storage/database/database.ts'
import type { ClaimCopies } from './claim-copies.ts'
import { endsTheWork, fateOf, LOG_IS_LONG, type Outcome, OVERTAKEN } from './submission-outcome.ts'
import type { EventRequest } from './submit-event.ts'
import { type ClaimSubmissions, submitGroup } from './submit-group.ts'

/** For how long those of one group are sent one by one; the rest goes again with another. */
const LONGEST_APART_MS = 5_000

/**
 * As `submitGroup`; where the database refuses what is written together, each is sent alone: one of them is at fault,
 * and must not fail its neighbours. It never rejects.
 */
export async function submitApart(
  db: Connection,
  copies: ClaimCopies,
  groups: readonly ClaimSubmissions[],
): Promise<Outcome[][]> {
  const together = await submitGroup(db, copies, groups).catch((error) => allOf(groups, error))
  if (!together.some((outcomes) => outcomes.some(isRefused))) return together
  const alone = new Alone(db, copies, together.flat().some(endsTheWork))
  const outcomes: Outcome[][] = []
  for (const [i, group] of groups.entries()) {
    const ofGroup = together[i] as Outcome[]
    outcomes.push(ofGroup.some(isRefused) ? await alone.submitEach(group) : ofGroup)
  }
  return outcomes
}

/** Nothing was written of any of them. */
function allOf(groups: readonly ClaimSubmissions[], error: Error): Outcome[][] {
  const together = groups.reduce((sum, { requests }) => sum + requests.length, 0)
  const fate = fateOf(error, together)
  return groups.map(({ requests }) => requests.map(() => fate))
}

const isRefused = (outcome: Outcome) => 'again' in outcome && outcome.again === 'refused together'

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

  /** One after the other; where one must be tried again so must all after it, or their order would be lost. */
  async submitEach({ claimId, requests }: ClaimSubmissions): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const request of requests) {
      const before = outcomes.at(-1)
      const mustWait = before !== undefined && 'again' in before
      outcomes.push(mustWait ? OVERTAKEN : await this.#submit(claimId, request))
    }
    return outcomes
  }

  async #submit(claimId: string, request: EventRequest): Promise<Outcome> {
    if (this.#isOver || performance.now() > this.#end) return OVERTAKEN
    const groups = [{ claimId, requests: [request] }]
    const [[outcome = OVERTAKEN] = []] = await submitGroup(this.#db, this.#copies, groups).catch((error) =>
      allOf(groups, error),
    )
    this.#isOver = endsTheWork(outcome)
    // Its copy went with what was refused, and with others it would be refused again once there is another.
    return outcome === LOG_IS_LONG ? { ...LOG_IS_LONG, goesAlone: true } : outcome
  }
}
