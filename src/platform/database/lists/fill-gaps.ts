/** Long metadata that is read at a time: a megabyte at most. */
export const METADATA_AT_ONCE = 8

/** What large fields of records are filled in from. */
interface Filling<Row, Key, Gap extends keyof Row> {
  /** The fields that are null if they are large. */
  gaps: readonly Gap[]
  /** How many are read, and held in memory, at a time. */
  atOnce: number
  key: (row: Row) => Key
  read: (rows: Row[]) => Promise<Map<Key, Large<Row, Gap>>>
  /** What is thrown if the record is not there any more; if nothing is given, it is left out. */
  gone?: () => Error
}

type Large<Row, Gap extends keyof Row> = { [G in Gap]: NonNullable<Row[G]> }
type Filled<Row, Gap extends keyof Row> = Row & Large<Row, Gap>

/**
 * The records in their order, each whole, as many at a time as are there. Small fields came with them; large ones are
 * read a few at a time, when their record is asked for, so that never all of them are in memory.
 */
export async function* fillGaps<Row, Key, Gap extends keyof Row>(
  rows: readonly Row[],
  { gaps, atOnce, key, read, gone }: Filling<Row, Key, Gap>,
): AsyncGenerator<Filled<Row, Gap>[]> {
  const hasGap = (row: Row) => gaps.some((gap) => row[gap] === null)
  let large = new Map<Key, Large<Row, Gap>>()
  let asked = new Set<Key>()
  let whole: Filled<Row, Gap>[] = []
  for (const [index, row] of rows.entries()) {
    if (!hasGap(row)) {
      whole.push(row as Filled<Row, Gap>)
      continue
    }
    if (!asked.has(key(row))) {
      if (whole.length > 0) yield whole
      whole = []
      const next = rows.slice(index).filter(hasGap).slice(0, atOnce)
      large = await read(next)
      asked = new Set(next.map(key))
    }
    const value = large.get(key(row))
    if (value !== undefined) whole.push({ ...row, ...value })
    else if (gone) throw gone()
  }
  if (whole.length > 0) yield whole
}
