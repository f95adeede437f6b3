/** A list's answer; the cursor is the UUID of the page's last record. */
export function presentPage<Row extends { id: string }, Body>(
  page: { rows: Row[]; hasMore: boolean },
  present: (row: Row) => Body,
): { data: Body[]; next_cursor: string | null } {
  return {
    data: page.rows.map(present),
    next_cursor: page.hasMore ? (page.rows.at(-1)?.id ?? null) : null,
  }
}

/** Records in pages as they are read; each is presented when it is its turn in the answer. */
export async function* presentEach<Row, Body>(
  pages: AsyncIterable<Row[]> | Iterable<Row[]>,
  present: (row: Row) => Body,
): AsyncGenerator<Iterable<Body>> {
  for await (const page of pages) yield page.values().map(present)
}
