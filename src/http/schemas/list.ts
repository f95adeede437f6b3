import { type TProperties, type TSchema, Type } from 'typebox'

const LIMIT = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 50,
  description: 'Records a page.',
})

const AFTER = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Cursor, exclusive: next_cursor of the page before.',
})

const ORDER = Type.Optional(
  Type.Enum(['asc', 'desc'], { default: 'asc', description: 'By creation; asc: oldest first.' }),
)

/** The query of a list, with its own filters. */
export function listQuery<Filters extends TProperties>(filters: Filters, after = AFTER) {
  return Type.Object(
    { ...filters, after: Type.Optional(after), limit: Type.Optional(LIMIT), order: ORDER },
    { additionalProperties: false },
  )
}

/** The query of a list's export: all of its pages. */
export function exportQuery<Filters extends TProperties>(filters: Filters) {
  return Type.Object({ ...filters, order: ORDER }, { additionalProperties: false })
}

/** A page of records. */
export function pageOf(record: TSchema & { $id?: string }) {
  return Type.Object({
    data: Type.Array(Type.Unsafe({ $ref: `${record.$id}#` })),
    next_cursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'UUID of the page’s last record, to pass as `after`; null when no more exist.',
    }),
  })
}
