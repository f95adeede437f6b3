/**
 * Splits items into portions of at most `maxWeight` and `maxItems`. An item above the weight is a portion by itself. A caller
 * that reads portion by portion holds a bounded amount at a time.
 */
export function* byWeight<T>(
  items: Iterable<T>,
  weightOf: (item: T) => number,
  { maxWeight, maxItems = Number.POSITIVE_INFINITY }: { maxWeight: number; maxItems?: number },
): Generator<T[]> {
  let portion: T[] = []
  let sum = 0
  for (const item of items) {
    const weight = weightOf(item)
    if (portion.length > 0 && (portion.length >= maxItems || sum + weight > maxWeight)) {
      yield portion
      portion = []
      sum = 0
    }
    portion.push(item)
    sum += weight
  }
  if (portion.length > 0) yield portion
}
