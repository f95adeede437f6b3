/** How the large values of rows are loaded. */
interface LazyColumns<Row, Key, Column extends keyof Row> {
  /** Columns that are null in the row if their value is large. */
  columns: readonly Column[]
  /** Rows whose large values are loaded, and held in memory, at a time. */
  batchSize: number
  key: (row: Row) => Key
  read: (rows: Row[]) => Promise<Map<Key, Loaded<Row, Column>>>
  /** Makes the error if the record was deleted meanwhile. Without it, the row is left out. */
  onMissing?: () => Error
}

type Loaded<Row, Column extends keyof Row> = { [C in Column]: NonNullable<Row[C]> }

/**
 * Yields the rows in their order with all columns. Small values came with the rows. Large values are loaded in batches when their
 * row is requested, so that they are never all in memory.
 */
export async function* loadLazyColumns<Row, Key, Column extends keyof Row>(
  rows: readonly Row[],
  { columns, batchSize, key, read, onMissing }: LazyColumns<Row, Key, Column>,
): AsyncGenerator<(Row & Loaded<Row, Column>)[]> {
  const isPartial = (row: Row) => columns.some((column) => row[column] === null)
  let loaded = new Map<Key, Loaded<Row, Column>>()
  let requested = new Set<Key>()
  let complete: (Row & Loaded<Row, Column>)[] = []
  for (const [index, row] of rows.entries()) {
    if (!isPartial(row)) {
      complete.push(row as Row & Loaded<Row, Column>)
      continue
    }
    if (!requested.has(key(row))) {
      if (complete.length > 0) yield complete
      complete = []
      const batch = rows.slice(index).filter(isPartial).slice(0, batchSize)
      loaded = await read(batch)
      requested = new Set(batch.map(key))
    }
    const values = loaded.get(key(row))
    if (values !== undefined) complete.push({ ...row, ...values })
    else if (onMissing) throw onMissing()
  }
  if (complete.length > 0) yield complete
}
