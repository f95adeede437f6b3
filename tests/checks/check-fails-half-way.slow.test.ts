import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inAMinute } from '../support/check-time.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { failingChecks } from './failing-checks.ts'

/*
 * A check that fails half way: nothing that is acknowledged afterwards is lost, the process lives, and the next check
 * does the rest.
 */

const service = await startProxiedService({ after })
const { app, proxy } = service
const { dueClaims, assertNothingAcknowledgedIsLost, assertNextCheckDoesTheRest } =
  await failingChecks(service)

/** The executions that fail. On one PostgreSQL the third batch is read while the first two are moved. */
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
    test(`a connection at ${statement}, execution ${occurrence}: ${cut}`, async () => {
      // In several batches of a check.
      await dueClaims(2_500)
      proxy.inject({ statement, occurrence }, cut)
      await assert.rejects(runScheduledCheck(app, inAMinute()), { code: 'UNAVAILABLE' })
      await assertNothingAcknowledgedIsLost()
      await assertNextCheckDoesTheRest()
    })
  }
}
