import type { ClaimKind } from '../api/records.ts'
import type { ClaimOrder } from './claims-api.ts'

/** The optional columns of a list of claims, in this order. */
export const CLAIM_COLUMNS = {
  customer: 'Customer',
  status: 'Status',
  due: 'Due or resolved',
  price: 'Price',
  schema: 'Schema',
  created: 'Created',
  status_since: 'Status since',
  id: 'Id',
} as const
export type ClaimColumn = keyof typeof CLAIM_COLUMNS

/** Shown by default, as far as they fit. */
export const DEFAULT_COLUMNS: readonly ClaimColumn[] = [
  'customer',
  'status',
  'due',
  'price',
  'schema',
  'created',
]

/** A candidate's alias is its name already. */
export const columnsOf = (kind: ClaimKind): readonly ClaimColumn[] =>
  (Object.keys(CLAIM_COLUMNS) as ClaimColumn[]).filter((column) => kind === 'claims' || column !== 'id')

/** The column of each sort order. It is always shown. */
export const SORT_COLUMNS: Partial<Record<ClaimOrder, ClaimColumn>> = {
  due: 'due',
  changed: 'status_since',
  waiting: 'status_since',
}
