import { type ApiDocument, errorCodesOf } from './api-document.ts'
import type { VerifiedResponse } from './verify-response.ts'

/** Documented errors that a request alone cannot cause, with the reason. All others must occur. */
const UNREACHABLE_ERRORS: Record<string, string> = {
  INTERNAL_ERROR: 'would be a finding',
  IDEMPOTENCY_KEY_IN_USE: 'needs a concurrent request',
  CLAIM_ARCHIVED: 'needs claims that were resolved days ago; covered by other tests',
  CALENDAR_VERSION_LIMIT_REACHED: 'needs a thousand changes of a calendar; covered by other tests',
  CURSOR_EXPIRED: 'needs notifications that are a day old; covered by other tests',
  UNAVAILABLE: 'needs an unavailable database, a shutdown or an overload',
  RATE_LIMITED: 'needs a rate limit, which the fuzzed server does not have',
}

/** Exceptions: the disclosure of aliases always has a limit. */
const REACHABLE_ERRORS = ['createCandidate RATE_LIMITED']

/** Counts responses by operation and status, and collects error codes. */
export class ResponseStats {
  requests = 0
  readonly #statuses = new Map<string, Map<number, number>>()
  readonly #codes = new Set<string>()

  count(
    { operation, code, itemCodes }: Pick<VerifiedResponse, 'operation' | 'code' | 'itemCodes'>,
    status: number,
  ): void {
    this.requests++
    const name = operation?.id ?? '(no operation)'
    const statuses = this.#statuses.get(name) ?? new Map<number, number>()
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    this.#statuses.set(name, statuses)
    for (const each of [code, ...itemCodes]) if (each !== null) this.#codes.add(`${name} ${each}`)
  }

  /** Number of responses with this status. */
  of(status: number): number {
    return this.#statuses.values().reduce((sum, statuses) => sum + (statuses.get(status) ?? 0), 0)
  }

  has(operation: string, code: string): boolean {
    return this.#codes.has(`${operation} ${code}`)
  }

  /** Documented errors that did not occur. */
  unreached(document: ApiDocument): { operation: string; code: string; reason: string | null }[] {
    return document.operations.flatMap(({ id, responses }) =>
      Object.values(responses)
        .flatMap(errorCodesOf)
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
  REACHABLE_ERRORS.includes(`${operation} ${code}`) ? null : (UNREACHABLE_ERRORS[code] ?? null)

/** One line for each code and reason. */
export function describeUnreached(unreached: ReturnType<ResponseStats['unreached']>): string[] {
  const byReason = Map.groupBy(unreached, ({ code, reason }) => `${code}: ${reason ?? 'NOT REACHED'}`)
  return [...byReason].map(
    ([reason, errors]) => `${reason} (${errors.map(({ operation }) => operation).join(', ')})`,
  )
}
