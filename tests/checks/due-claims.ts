import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import type { TestService } from '../support/test-service.ts'

/** Due at times that follow no order of ids, and several at the same. */
export async function dueClaims({ api, sql }: TestService, customer: string, count: number): Promise<void> {
  const { id } = await api.claim(customer, contractWith({ activity_window: 0.001, review_window: 86_400 }))
  await sql(COPY_CLAIM, [id, count - 1])
  // On distributed tables only what depends on no setting may be computed from columns.
  await sql(`UPDATE claims
    SET due_at = (due_at AT TIME ZONE 'UTC' - abs(hashtext(id::text)) % 50 * interval '1 second') AT TIME ZONE 'UTC'
    WHERE status = 'OPEN'`)
}
