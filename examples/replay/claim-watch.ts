import { type ApiClient, describeError } from './api-client.ts'
import { ReplayFailure } from './failure.ts'

interface ListedClaim {
  id: string
  status: 'OPEN' | 'PENDING' | 'CONFIRMED' | 'FAILED'
  scheduled_outcome: 'CONFIRMED' | 'FAILED' | null
}

/** How a claim stands, as "OPEN", "PENDING → CONFIRMED" or "FAILED". */
export type Standing = string

const STANDINGS: readonly Standing[] = [
  'CONFIRMED',
  'FAILED',
  'PENDING → CONFIRMED',
  'PENDING → FAILED',
  'OPEN',
]

/** Follows the claims of this run through the account's list, which may hold any number of others. */
export class ClaimWatch {
  readonly #client: ApiClient
  readonly #standings: Map<string, Standing>
  /** A list position before all open claims of this run; null is the beginning of the list. */
  #after: string | null

  constructor(client: ApiClient, claimIds: Iterable<string>, after: string | null) {
    this.#client = client
    this.#standings = new Map([...claimIds].map((id) => [id, 'OPEN']))
    this.#after = after
  }

  get terminalCount(): number {
    return [...this.#standings.values()].filter(isTerminal).length
  }

  get isDone(): boolean {
    return this.terminalCount === this.#standings.size
  }

  /** Claims by standing; what is not there is left out. */
  get counts(): [Standing, number][] {
    const groups = Map.groupBy(this.#standings.values(), (standing) => standing)
    return STANDINGS.flatMap((standing) => {
      const count = groups.get(standing)?.length ?? 0
      return count > 0 ? [[standing, count]] : []
    })
  }

  /** Reads how the claims stand now. @throws when `stop` is aborted. */
  async refresh(stop?: AbortSignal): Promise<void> {
    let missing = this.#standings.size - this.terminalCount
    let isPassed = true
    let after = this.#after
    while (missing > 0) {
      const page = await listClaims(this.#client, after, 100, 'asc', stop)
      const unsettled = page.data.filter(({ id }) => this.#isUnsettled(id))
      for (const claim of unsettled) this.#standings.set(claim.id, standingOf(claim))
      missing -= unsettled.length
      after = page.next_cursor
      if (after === null) return
      // A beginning of the list whose claims are terminal, or others', is not read again.
      isPassed &&= !page.data.some(({ id }) => this.#isUnsettled(id))
      if (isPassed) this.#after = after
    }
  }

  #isUnsettled(id: string): boolean {
    const standing = this.#standings.get(id)
    return standing !== undefined && !isTerminal(standing)
  }
}

const isTerminal = (standing: Standing) => standing === 'CONFIRMED' || standing === 'FAILED'

function standingOf({ status, scheduled_outcome }: ListedClaim): Standing {
  return status === 'PENDING' ? `PENDING → ${scheduled_outcome}` : status
}

/** The account's newest claim, or null; what this run opens comes after it. */
export async function newestClaimId(client: ApiClient): Promise<string | null> {
  const page = await listClaims(client, null, 1, 'desc')
  return page.data[0]?.id ?? null
}

async function listClaims(
  client: ApiClient,
  after: string | null,
  limit: number,
  order: 'asc' | 'desc',
  stop?: AbortSignal,
): Promise<{ data: ListedClaim[]; next_cursor: string | null }> {
  const query = new URLSearchParams({ limit: `${limit}`, order, ...(after === null ? {} : { after }) })
  const answer = await client.send('GET', `/v1/claims?${query}`, undefined, stop)
  if (answer.status !== 200 || !answer.body) {
    throw new ReplayFailure(`the claims cannot be listed: ${describeError(answer)}`)
  }
  return answer.body as { data: ListedClaim[]; next_cursor: string | null }
}
