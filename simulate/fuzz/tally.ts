import { type ApiDocument, codesOf } from './document.ts'
import type { Verdict } from './judge.ts'

/** Why a documented error is not reached by requests alone; the rest must be. */
const OUT_OF_REACH: Record<string, string> = {
  INTERNAL_ERROR: 'would be a finding',
  IDEMPOTENCY_KEY_IN_USE: 'needs another request at the same moment',
  CLAIM_ARCHIVED: 'needs claims that were resolved days ago: other tests',
  CALENDAR_VERSION_LIMIT_REACHED: 'needs a thousand changes of a calendar: other tests',
  CURSOR_EXPIRED: 'needs notifications that are a day old: other tests',
  UNAVAILABLE: 'needs a database that is away, a stop or an overload',
  RATE_LIMITED: 'needs a limit of requests a minute, which the fuzzed server has not',
}

/** Where the general reason does not hold: too many aliases of others are refused in any case. */
const WITHIN_REACH = ['createCandidate RATE_LIMITED']

/** What was answered to which operation. */
export class Tally {
  requests = 0
  readonly #statuses = new Map<string, Map<number, number>>()
  readonly #codes = new Set<string>()

  count(
    { operation, code, itemCodes }: Pick<Verdict, 'operation' | 'code' | 'itemCodes'>,
    status: number,
  ): void {
    this.requests++
    const name = operation?.id ?? '(no operation)'
    const statuses = this.#statuses.get(name) ?? new Map<number, number>()
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    this.#statuses.set(name, statuses)
    for (const one of [code, ...itemCodes]) if (one !== null) this.#codes.add(`${name} ${one}`)
  }

  /** How often the status was answered, to whatever. */
  of(status: number): number {
    return this.#statuses.values().reduce((sum, statuses) => sum + (statuses.get(status) ?? 0), 0)
  }

  has(operation: string, code: string): boolean {
    return this.#codes.has(`${operation} ${code}`)
  }

  /** Errors that the document promises and no answer showed. */
  unreached(document: ApiDocument): { operation: string; code: string; reason: string | null }[] {
    return document.operations.flatMap(({ id, responses }) =>
      Object.values(responses)
        .flatMap(codesOf)
        .filter((code) => !this.has(id, code))
        .map((code) => ({ operation: id, code, reason: reasonOf(id, code) })),
    )
  }

  /** A line for each operation. */
  table(): string {
    const columns = [...new Set(this.#statuses.values().flatMap((statuses) => statuses.keys()))].sort(
      (a, b) => a - b,
    )
    const row = (name: string, cells: string[]) =>
      name.padEnd(22) + cells.map((cell) => cell.padStart(9)).join('')
    const lines = [...this.#statuses].map(([name, statuses]) =>
      row(
        name,
        columns.map((status) => String(statuses.get(status) ?? '·')),
      ),
    )
    return [row('', columns.map(String)), ...lines].join('\n')
  }
}

const reasonOf = (operation: string, code: string): string | null =>
  WITHIN_REACH.includes(`${operation} ${code}`) ? null : (OUT_OF_REACH[code] ?? null)

/** Codes that are out of reach for the same reason, together. */
export function describeUnreached(unreached: ReturnType<Tally['unreached']>): string[] {
  const excused = Map.groupBy(unreached, ({ code, reason }) => `${code}: ${reason ?? 'NOT REACHED'}`)
  return [...excused].map(([why, ones]) => `${why} (${ones.map(({ operation }) => operation).join(', ')})`)
}
