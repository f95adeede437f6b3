/** Where a list stands that goes from the newest record to the oldest. */
export interface Place {
  /** As PostgreSQL writes it, to the microsecond. */
  time: string
  id: string
}

const START: Place = { time: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
/** Records that are read at a time: a few milliseconds of the event loop. */
const PAGE = 100

/**
 * A list without pages (§4.9, §4.10), newest first; the next records are read when they are asked for. What is added
 * meanwhile is not there.
 */
export async function* newestFirst<T>(
  readPage: (after: Place, limit: number) => Promise<{ item: T; place: Place }[]>,
): AsyncGenerator<T[]> {
  for (let after = START; ; ) {
    const page = await readPage(after, PAGE)
    yield page.map(({ item }) => item)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.place
  }
}
