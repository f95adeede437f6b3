import type { Claim } from '../domain/claim.ts'
import type { Status } from '../domain/lifecycle.ts'
import { isUuid } from '../domain/uuid.ts'
import { candidateId } from '../storage/candidate-id.ts'
import { findClaimPosition, listClaims } from '../storage/claims.ts'
import { findCustomersByExternalId } from '../storage/customers.ts'
import type { Page } from '../storage/list-page.ts'
import type { App } from './app.ts'
import { type PageRequest, resolveCursor } from './cursor.ts'

export interface CandidateListRequest extends PageRequest {
  userId: string
  status: Status | undefined
  customerExternalId: string | undefined
}

/** A page of the account's candidates, without their logs (§4.1). `after` may be a cursor or an alias. */
export async function listCandidates(app: App, request: CandidateListRequest): Promise<Page<Claim>> {
  const { userId, customerExternalId } = request
  const positionOf = (id: string) => findClaimPosition(app.db, userId, 'candidate', id)
  const after = await resolveCursor(
    request.after,
    async (name) => (isUuid(name) ? positionOf(name) : null),
    (alias) => positionOf(candidateId(alias)),
  )
  if (customerExternalId === undefined) {
    return listClaims(app.db, { ...request, kind: 'candidate', customerId: undefined, after })
  }
  const [customer] = await findCustomersByExternalId(app.db, userId, [customerExternalId])
  if (!customer) return { rows: [], hasMore: false }
  return listClaims(app.db, { ...request, kind: 'candidate', customerId: customer.id, after })
}
