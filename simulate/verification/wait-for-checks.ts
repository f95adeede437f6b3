import { setTimeout as pause } from 'node:timers/promises'
import { Finding } from '../model/finding.ts'
import type { Testbed } from '../testbed.ts'

const TIMEOUT_MS = 100_000

/** Without faults, the check of the next whole minute moves all due claims. */
export async function waitForChecks(testbed: Testbed): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const due = await testbed.sql<{ id: string }>(
      `SELECT id FROM claims WHERE test_clock_id IS NULL AND due_at <= date_trunc('minute', clock_timestamp())
        AND status_since < date_trunc('minute', clock_timestamp()) LIMIT 5`,
    )
    if (due.length === 0) return
    if (performance.now() > deadline) {
      throw new Finding(`no scheduled check has moved due claims for ${TIMEOUT_MS / 1000} s`, due)
    }
    await pause(500)
  }
}
