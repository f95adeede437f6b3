import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { inAMinute } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { eventually } from '../support/eventually.ts'
import { newCustomer } from '../support/new-records.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import type { TestService } from '../support/test-service.ts'

const IDLE_IN_TRANSACTION = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND state LIKE 'idle in transaction%'`

/** Assertions after a failed check. Needs a database of its own, because it reads all claims. */
export async function failingChecks({ app, api, sql }: TestService) {
  const { id: customer } = await newCustomer(api)
  return {
    /** Claims whose activity windows have elapsed. */
    dueClaims: async (count: number): Promise<void> => {
      const { id } = await api.claim(customer, contractWith({ activity_window: 0.001, review_window: 3600 }))
      await sql(COPY_CLAIM, [id, count - 1])
    },

    /** Submits as many events as use every connection, and checks by SQL that all are stored. */
    assertNothingAcknowledgedIsLost: async (): Promise<void> => {
      const { id } = await api.claim(customer, contractWith({ activity_window: 86_400 }))
      const ids = Array.from({ length: 40 }, () => randomUUID())
      const answers = await Promise.all(
        ids.map((event) => api.post('/v1/events', { claim_id: id, type: 'seen', id: event })),
      )
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      const stored = await sql('SELECT id FROM claim_events WHERE claim_id = $1', [id])
      assert.deepEqual(new Set(stored.map((row) => row.id)), new Set(ids))
      // A running transaction is idle between its statements. PostgreSQL ends a forgotten one after 15 s.
      await eventually(async () => (await sql(IDLE_IN_TRANSACTION)).length === 0, { seconds: 10 })
    },

    assertNextCheckDoesTheRest: async (): Promise<void> => {
      await runScheduledCheck(app, inAMinute())
      const due = await sql("SELECT FROM claims WHERE status = 'OPEN' AND due_at < now()")
      assert.equal(due.length, 0)
    },
  }
}
