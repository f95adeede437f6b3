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

const MOVES = isOnCitus() ? ['move_kinds_in_shards', 'notify_of_kinds_in_shards'] : ['move_kinds']
for (const statement of ['read_due_kinds', ...MOVES, 'hold_totals_before']) {
  for (const cut of ['cut before', 'cut during'] as const) {
    test(`a connection at its second ${statement}: ${cut}`, async () => {
      // In several batches of a check.
      await dueClaims(2_500)
      proxy.inject({ statement, occurrence: 2 }, cut)
      await assert.rejects(runScheduledCheck(app, inAMinute()), { code: 'UNAVAILABLE' })
      await assertNothingAcknowledgedIsLost()
      await assertNextCheckDoesTheRest()
    })
  }
}
