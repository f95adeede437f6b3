/**
 * Splits items into batches of at most `maxWeight` and `maxItems`. An item above the weight is a batch by itself. So a caller
 * that reads one batch at a time needs bounded memory.
 */
export function* batchesByWeight<T>(
  items: Iterable<T>,
  weightOf: (item: T) => number,
  { maxWeight, maxItems = Number.POSITIVE_INFINITY }: { maxWeight: number; maxItems?: number },
): Generator<T[]> {
  let batch: T[] = []
  let sum = 0
  for (const item of items) {
    const weight = weightOf(item)
    if (batch.length > 0 && (batch.length >= maxItems || sum + weight > maxWeight)) {
      yield batch
      batch = []
      sum = 0
    }
    batch.push(item)
    sum += weight
  }
  if (batch.length > 0) yield batch
}
