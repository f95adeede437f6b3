import { Type } from 'typebox'
import { CLAIM_SORTS } from '../core/claims/claim.ts'
import { STATUSES } from '../core/claims/lifecycle.ts'
import { MAX_NAME_LENGTH } from '../core/limits.ts'
import { validationError } from '../kernel/errors.ts'
import { DEFAULT_PAGE_SIZE } from '../platform/database/limits.ts'
import { withRule } from '../platform/http/bodies/describe-schema.ts'
import { METADATA_FILTERS, metadataOf } from '../platform/http/bodies/metadata-bodies.ts'
import { ExternalId, InputTime, readTime, Uuid } from '../platform/http/responses/field-schemas.ts'
import { pageOf } from '../platform/http/responses/lists.ts'
import type { ListFilters, Sorted } from './list-filters.ts'

const ONE_STATUS = `(${STATUSES.join('|')})`
const SOME_STATUSES = withRule(
  `^${ONE_STATUS}(,${ONE_STATUS}){0,${STATUSES.length - 1}}$`,
  `one of ${STATUSES.join(', ')}, or up to ${STATUSES.length} of them joined by commas, such as OPEN,PENDING`,
)
const DECIMAL = withRule(
  '^\\d{1,30}(\\.\\d{1,30})?$',
  'a decimal without a sign, of up to 30 digits before the point and 30 after it, such as 49.50',
)
const from = (what: string) => Type.Optional(InputTime(`Only records that ${what} at this time or later.`))
const before = (what: string) => Type.Optional(InputTime(`Only records that ${what} before this time.`))
const price = (description: string) =>
  Type.Optional(Type.String({ pattern: DECIMAL, description, examples: ['49.50'] }))

const FILTERS = {
  status: Type.Optional(
    Type.String({
      pattern: SOME_STATUSES,
      description: `Only records in these statuses, separated by commas: ${STATUSES.join(', ')}.`,
      examples: ['OPEN,PENDING'],
    }),
  ),
  schema_id: Type.Optional(Uuid('Only records whose contract was copied from this schema.')),
  test_clock_id: Type.Optional(Uuid('Only records on this test clock.')),
  clock: Type.Optional(
    Type.Enum(['live'], {
      description: 'Only records without a test clock. Not together with `test_clock_id`.',
    }),
  ),
  created_from: from('were created'),
  created_before: before('were created'),
  due_from: from('are OPEN or PENDING, and whose window elapses'),
  due_before: before('are OPEN or PENDING, and whose window elapses'),
  resolved_from: from('were resolved'),
  resolved_before: before('were resolved'),
  price_from: price('Only records of this price or a higher one, as an exact decimal.'),
  price_to: price('Only records of this price or a lower one.'),
  ...METADATA_FILTERS,
  sort: Type.Optional(
    Type.Enum([...CLAIM_SORTS], {
      default: 'created_at',
      description:
        'What `order` sorts by: the creation; `due_at`, which lists only OPEN and PENDING records; or the time in the current status. Times are compared on one clock: without `test_clock_id`, a list that sorts by another time than the creation, or filters by times, has only records without a test clock.',
    }),
  ),
}

/** Filters of the list of claims and of its export. */
export const CLAIM_FILTERS = {
  ...FILTERS,
  customer_id: Type.Optional(Uuid('Only claims of this customer.')),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: 'Only the claim with this reference. Not together with `search`.',
      examples: ['order-4711'],
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 36,
      description:
        'Only claims whose id begins with this text of at least 8 digits, with or without dashes. Or a shortened id: 01934f6e…1f0a42.',
      examples: ['01934f6e-7d3a'],
    }),
  ),
}

/** Filters of the list of candidates and of its export. */
export const CANDIDATE_FILTERS = {
  ...FILTERS,
  customer_uuid: Type.Optional(
    Type.String({ ...ExternalId, description: 'Only candidates of the customer with this external_id.' }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: 'Only candidates whose alias begins with this text, case-sensitive.',
      examples: ['order-2026'],
    }),
  ),
}

/** For both lists, not for exports. */
export const TOTAL = {
  total: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description: 'Whether to count the records of all pages. The count is `total` in the response.',
    }),
  ),
}

/** A page, with the total if it was requested. */
export const countedPageOf = (record: Parameters<typeof pageOf>[0]) =>
  Type.Object({
    ...pageOf(record).properties,
    total: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ minimum: 0 }),
          is_exact: Type.Boolean({ description: 'False if `count` is a lower bound.' }),
        },
        { title: 'Total', description: 'Records of all pages, if `total=true`.' },
      ),
    ),
  })

interface PageQuery {
  after?: string
  limit?: number
  order?: 'asc' | 'desc'
  total?: 'true' | 'false'
}

export const readPageQuery = ({ after, limit = DEFAULT_PAGE_SIZE, order = 'asc', total }: PageQuery) => ({
  after,
  limit,
  order,
  total: total === 'true',
})

interface FilterQuery extends Partial<Record<keyof typeof FILTERS, string>> {
  sort?: NonNullable<Sorted['sort']>
}

/** The filters that both lists have. @throws VALIDATION_ERROR if a range ends before it begins */
export function readFilters(userId: string, query: FilterQuery): ListFilters & Sorted {
  const range = (name: 'created' | 'due' | 'resolved') => {
    const [from, before] = [query[`${name}_from`], query[`${name}_before`]]
    if (from === undefined && before === undefined) return undefined
    const times = {
      from: from === undefined ? null : readTime(from),
      before: before === undefined ? null : readTime(before),
    }
    if (times.from && times.before && times.before <= times.from)
      throw validationError([{ path: `${name}_before`, message: `must be later than ${name}_from` }])
    return times
  }
  const { price_from, price_to } = query
  const requested = query.status?.split(',') ?? []
  if (price_from !== undefined && price_to !== undefined && isMore(price_from, price_to))
    throw validationError([{ path: 'price_to', message: 'must not be less than price_from' }])
  return {
    userId,
    statuses: STATUSES.filter((status) => requested.includes(status)),
    schemaId: query.schema_id?.toLowerCase(),
    testClockId: query.test_clock_id?.toLowerCase(),
    isLive: query.clock === 'live',
    created: range('created'),
    due: range('due'),
    resolved: range('resolved'),
    price:
      price_from === undefined && price_to === undefined
        ? undefined
        : { from: price_from ?? null, to: price_to ?? null },
    metadata: metadataOf(query),
    sort: query.sort,
  }
}

/** Compares two exact decimals. */
function isMore(one: string, other: string): boolean {
  const scaled = (decimal: string) => {
    const [whole = '', part = ''] = decimal.split('.')
    return BigInt(whole + part.padEnd(30, '0'))
  }
  return scaled(one) > scaled(other)
}
