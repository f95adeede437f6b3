/** How long somebody may stay for a slow caller in any case, and how often it is looked who has, in milliseconds. */
const STAYS_MS = 3_000
export const LOOK_EVERY_MS = 250

/** Somebody who only stays because his caller is slow, and what he has of something that is short. */
export interface Stayer {
  readonly account: string
  readonly amount: number
  /** By performance.now(). */
  readonly since: number
}

/**
 * Those who give way, so that so much comes free, as far as there are such: of the accounts that have more than a part, of
 * that with most first, and of its own who came first.
 * @param has what each account has
 */
export function whoGivesWay<One extends Stayer>(
  all: Iterable<One>,
  has: ReadonlyMap<string, number>,
  missing: number,
  part: number,
): One[] {
  const leaving: One[] = []
  if (missing <= 0) return leaving
  const before = performance.now() - STAYS_MS
  const left = new Map(has)
  const amountOf = ({ account }: Stayer) => left.get(account) ?? 0
  const slow = [...all].filter(({ since }) => since <= before)
  let free = 0
  for (const one of slow.sort((a, b) => amountOf(b) - amountOf(a) || a.since - b.since)) {
    if (free >= missing) break
    if (amountOf(one) <= part) continue
    free += one.amount
    left.set(one.account, amountOf(one) - one.amount)
    leaving.push(one)
  }
  return leaving
}
