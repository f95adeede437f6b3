import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inAMinute } from '../support/check-time.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { failingChecks } from './failing-checks.ts'

/*
 * After a check that fails half way, no acknowledged event is lost, the process continues, and the next check moves the other
 * claims.
 */

const service = await startProxiedService({ after })
const { app, proxy } = service
const { dueClaims, assertNothingAcknowledgedIsLost, assertNextCheckDoesTheRest } =
  await failingChecks(service)

/** The executions at which the connection is cut. On one PostgreSQL the third batch is read while the first two are moved. */
const FAILING: [statement: string, occurrence: number][] = isOnCitus()
  ? [
      ['read_due_kinds', 2],
      ['move_kinds_in_shards', 2],
      ['notify_of_kinds_in_shards', 2],
      ['hold_totals_before', 2],
    ]
  : [
      ['read_due_kinds', 2],
      ['read_due_kinds', 3],
      ['move_kinds', 2],
      ['hold_totals_before', 2],
    ]
for (const [statement, occurrence] of FAILING) {
  for (const cut of ['cut before', 'cut during'] as const) {
    test(`the connection is ${cut} execution ${occurrence} of ${statement}`, async () => {
      // More than two batches of a check.
      await dueClaims(2_500)
      proxy.inject({ statement, occurrence }, cut)
      await assert.rejects(runScheduledCheck(app, inAMinute()), { code: 'UNAVAILABLE' })
      await assertNothingAcknowledgedIsLost()
      await assertNextCheckDoesTheRest()
    })
  }
}
