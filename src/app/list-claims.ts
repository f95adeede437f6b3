import type { Claim } from '../domain/claim.ts'
import type { Status } from '../domain/lifecycle.ts'
import { isUuid } from '../domain/uuid.ts'
import { findClaimPosition, listClaims as readClaims } from '../storage/claims.ts'
import type { Page } from '../storage/list-page.ts'
import type { App } from './app.ts'
import { type PageRequest, resolveCursor } from './cursor.ts'

export interface ClaimListRequest extends PageRequest {
  userId: string
  status: Status | undefined
  customerId: string | undefined
}

/** A page of the account's claims, without their logs. */
export async function listClaims(app: App, request: ClaimListRequest): Promise<Page<Claim>> {
  const after = await resolveCursor(request.after, async (id) =>
    isUuid(id) ? findClaimPosition(app.db, request.userId, 'claim', id) : null,
  )
  return readClaims(app.db, { ...request, kind: 'claim', after })
}
