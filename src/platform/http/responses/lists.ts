import { type TProperties, type TSchema, Type } from 'typebox'
import { MAX_NAME_LENGTH } from '../../../core/limits.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../database/limits.ts'
import { METADATA_PATTERN } from '../bodies/metadata-bodies.ts'

const LIMIT = Type.Integer({
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  default: DEFAULT_PAGE_SIZE,
  description: 'Records per page.',
})

const AFTER = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  description: 'Cursor, exclusive: next_cursor of the previous page.',
})

const ORDER = Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc', description: 'asc: oldest first.' }))

/** The query of a list, with its own filters. */
export function listQuery<Filters extends TProperties>(filters: Filters, after = AFTER) {
  return Type.Object(
    { ...filters, after: Type.Optional(after), limit: Type.Optional(LIMIT), order: ORDER },
    only(filters),
  )
}

/** No other parameters. A list with metadata filters accepts any key. */
const only = (filters: TProperties) => ({
  additionalProperties: false,
  ...('metadata[key]' in filters ? { patternProperties: METADATA_PATTERN } : {}),
})

/** The query of an export of the whole list. */
export function exportQuery<Filters extends TProperties>(filters: Filters) {
  return Type.Object({ ...filters, order: ORDER }, only(filters))
}

/** A page of records. */
export function pageOf(record: TSchema & { $id?: string }) {
  return Type.Object({
    data: Type.Array(Type.Unsafe({ $ref: `${record.$id}#` })),
    next_cursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'The value for `after`, unchanged; null on the last page. In the order of creation it is the UUID of the page’s last record.',
    }),
  })
}

/** The response of a list. The cursor is the UUID of the last record of the page. */
export function presentPage<Row extends { id: string }, Body>(
  page: { rows: Row[]; hasMore: boolean },
  present: (row: Row) => Body,
): { data: Body[]; next_cursor: string | null } {
  return {
    data: page.rows.map(present),
    next_cursor: page.hasMore ? (page.rows.at(-1)?.id ?? null) : null,
  }
}

/** Presents records page by page as they are read. */
export async function* presentEach<Row, Body>(
  pages: AsyncIterable<Row[]> | Iterable<Row[]>,
  present: (row: Row) => Body,
): AsyncGenerator<Iterable<Body>> {
  for await (const page of pages) yield page.values().map(present)
}
