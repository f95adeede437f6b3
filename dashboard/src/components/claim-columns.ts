import type { ClaimKind, ClaimOrder } from '../api/claims.ts'

/** What a list of claims can show beside their names, in this order. */
export const CLAIM_COLUMNS = {
  customer: 'Customer',
  status: 'Status',
  due: 'Due or since',
  price: 'Price',
  schema: 'Schema',
  created: 'Created',
  status_since: 'Status since',
  id: 'Id',
} as const
export type ClaimColumn = keyof typeof CLAIM_COLUMNS

/** Shown if nothing was chosen, as far as there is room. */
export const USUAL_COLUMNS: readonly ClaimColumn[] = [
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

/** What the list is sorted by is in sight, chosen or not. */
export const SORTED_BY: Partial<Record<ClaimOrder, ClaimColumn>> = {
  due: 'due',
  changed: 'status_since',
  waiting: 'status_since',
}
