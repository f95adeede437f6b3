/**
 * Binary search: the first whole number from `low` on for which the condition holds, or `high` if there is none below
 * `high`. If the condition holds for a number, it must hold for every greater number.
 */
export function firstWhere(low: number, high: number, holds: (n: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}
