import type { World } from '../clients/world.ts'
import { assert } from '../model/finding.ts'
import type { Testbed } from '../testbed.ts'

/** Share of all responses. On a slow machine some requests get a 503. */
const MAX_REFUSED_SHARE = 0.02

/** Checks that hold only in runs without faults. */
export async function verifyWithoutFaults(world: World, testbed: Testbed): Promise<void> {
  await verifyDeadlocks(testbed)
  verifyRefusals(world)
}

/** No deadlocks: writers lock in one order. */
async function verifyDeadlocks(testbed: Testbed): Promise<void> {
  const [row] = await testbed.sql<{ deadlocks: number }>(
    'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
  )
  assert(row?.deadlocks === 0, () => `statements were in ${row?.deadlocks} deadlocks`)
}

function verifyRefusals({ answers }: World): void {
  const all = answers.values().reduce((sum, times) => sum + times, 0)
  const refused = answers.get('503') ?? 0
  assert(
    refused <= MAX_REFUSED_SHARE * all,
    () => `${refused} of ${all} requests were answered 503 without faults`,
  )
}
