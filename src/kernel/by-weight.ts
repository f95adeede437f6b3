/**
 * Splits items into portions of at most `mostWeight` and `mostItems`. An item above the weight is a portion by itself. A caller
 * that reads portion by portion holds a bounded amount at a time.
 */
export function* byWeight<T>(
  items: Iterable<T>,
  weightOf: (item: T) => number,
  { mostWeight, mostItems = Number.POSITIVE_INFINITY }: { mostWeight: number; mostItems?: number },
): Generator<T[]> {
  let portion: T[] = []
  let sum = 0
  for (const item of items) {
    const weight = weightOf(item)
    if (portion.length > 0 && (portion.length >= mostItems || sum + weight > mostWeight)) {
      yield portion
      portion = []
      sum = 0
    }
    portion.push(item)
    sum += weight
  }
  if (portion.length > 0) yield portion
}
