import { STATUSES, type Status } from '../../core/claims/lifecycle.ts'
import { IS_FRESH } from '../../platform/database/lists/list-page.ts'
import { ListQuery } from '../../platform/database/lists/list-query.ts'
import { hasPairs, pairsOf } from '../../platform/database/metadata.ts'
import { type ClaimSelection, type TimeRange, whereInRange } from './claim-selection.ts'

/** SQL: whether an uncommitted record may still appear at an earlier position. */
export const FRESH = `(${IS_FRESH} OR test_clock_id IS NOT NULL) AS fresh`

export const isOfKind = (kind: ClaimSelection['kind']) =>
  `candidate_alias IS ${kind === 'candidate' ? 'NOT NULL' : 'NULL'}`

export const isOneOf = (statuses: readonly Status[]) =>
  `status IN (${statuses.map((status) => `'${status}'`).join(', ')})`

export type FilterName =
  | 'user'
  | 'kind'
  | 'live'
  | 'clock'
  | 'statuses'
  | 'customer'
  | 'schema'
  | 'search'
  | 'span'
  | 'created'
  | 'due'
  | 'resolved'
  | 'price'
  | 'metadata'

/** The filters of a selection. */
export function filtersOf(selection: ClaimSelection): Set<FilterName> {
  const given: Record<FilterName, unknown> = {
    user: true,
    kind: true,
    live: selection.isLive,
    clock: selection.testClockId,
    statuses: selection.statuses.length < STATUSES.length,
    customer: selection.customerId,
    schema: selection.schemaId,
    search: selection.search,
    span: selection.search?.span?.from ?? selection.search?.span?.to,
    created: selection.created,
    due: selection.due,
    resolved: selection.resolved,
    price: selection.price,
    metadata: selection.metadata,
  }
  return new Set((Object.keys(given) as FilterName[]).filter((name) => given[name]))
}

/** The SQL condition of each filter. A statement has the parameters of the filters that it uses, in the order of their use. */
export class ConditionSql {
  readonly query = new ListQuery()
  readonly #selection: ClaimSelection
  readonly #said = new Map<FilterName, string>()

  constructor(selection: ClaimSelection) {
    this.#selection = selection
  }

  of(names: Iterable<FilterName>): string[] {
    return [...names].map((name) => {
      const sql = this.#said.get(name) ?? this.#say(name)
      this.#said.set(name, sql)
      return sql
    })
  }

  #say(name: FilterName): string {
    const { userId, kind, testClockId, statuses, customerId, schemaId } = this.#selection
    const { search, created, due, resolved, price, metadata } = this.#selection
    const own = new ListQuery(this.query.values)
    const within = (column: string, range: TimeRange | undefined) =>
      own.where(column, '>=', range?.from).where(column, '<', range?.before)
    switch (name) {
      case 'kind':
        return isOfKind(kind)
      case 'live':
        return 'test_clock_id IS NULL'
      case 'statuses':
        return isOneOf(statuses)
      case 'user':
        return own.where('user_id', '=', userId).conditions
      case 'clock':
        return own.where('test_clock_id', '=', testClockId).conditions
      case 'customer':
        return own.where('customer_id', '=', customerId).conditions
      case 'schema':
        return own.where('schema_id', '=', schemaId).conditions
      case 'search':
        return whereInRange(own, search).conditions
      case 'span':
        return own.where('position', '>=', search?.span?.from).where('position', '<=', search?.span?.to)
          .conditions
      case 'created':
        return within('created_at', created).conditions
      case 'due':
        return ['due_at IS NOT NULL', within('due_at', due).conditions].filter(Boolean).join(' AND ')
      case 'resolved':
        return within('status_since', resolved).conditions
      case 'metadata':
        return hasPairs('claims', pairsOf(userId, kind, metadata ?? {}), (pair) => own.parameter(pair))
      case 'price':
        return own.where('price', '>=', price?.from).where('price', '<=', price?.to).conditions
    }
  }
}
