import type { App } from '../app.ts'
import { validationError } from '../kernel/errors.ts'
import { MIN_PREFIX_DIGITS, uuidEnds } from '../kernel/uuid.ts'
import { idOfReference } from './claim-ids.ts'
import { type ClaimPage, type ClaimPageRequest, readClaimPage, resolveCursorPlace } from './claim-page.ts'
import { checkFilters, type ListFilters, selectionOf } from './list-filters.ts'
import { type ClaimSelection, idRange } from './lists/claim-selection.ts'

export interface ClaimFilters extends ListFilters {
  customerId: string | undefined
  /** The beginning of an id. */
  search: string | undefined
  reference: string | undefined
}

/** A page of the account's claims, without their logs. @throws VALIDATION_ERROR */
export async function listClaims(app: App, request: ClaimFilters & ClaimPageRequest): Promise<ClaimPage> {
  const selection = selectClaims(request)
  return readClaimPage(app, selection, await resolveCursorPlace(app, selection, request), request)
}

/** @throws VALIDATION_ERROR if `search` is not the beginning of an id, or if filters contradict each other */
export function selectClaims(filters: ClaimFilters): ClaimSelection {
  const { userId, customerId, reference, search: prefix } = filters
  checkFilters(filters)
  if (reference !== undefined && prefix !== undefined)
    throw validationError([{ path: 'search', message: 'must not be given beside reference' }])
  const search = reference === undefined ? prefix : idOfReference(userId, reference)
  const ends = search === undefined ? null : uuidEnds(search)
  if (search !== undefined && ends === null) {
    const message = `must be the beginning of an id, of at least ${MIN_PREFIX_DIGITS} hexadecimal digits`
    throw validationError([{ path: 'search', message }])
  }
  return {
    ...selectionOf(filters),
    kind: 'claim',
    customerId,
    search: ends && idRange(ends),
  }
}
