import { QUICK_FAULTS, STATEMENT_FAULTS } from '../../tests/faults/faults.ts'
import type { LocalTestbed } from '../testbed/local-testbed.ts'
import { alwaysAvailable, type LocalFault, waitForCheck, waitUntil } from './timing.ts'

const TRANSACTION = ['BEGIN', 'COMMIT']
const CHECK_STATEMENTS = [
  'take_check_turns',
  'take_back_totals',
  'list_due',
  'read_due_kinds',
  'hold_totals_before',
  'move_kinds',
]
const NEXT_BATCH = 'read_due_kinds'
const GROUP_STATEMENTS = [
  'read_claims_to_decide',
  'append_events',
  'append_events_on_test_clocks',
  'append_extended_events',
]
const ADVANCE_STATEMENTS = [
  'hold_test_clock',
  'announce_notifications',
  'find_due_claims_on_test_clock',
  'apply_moves',
  'set_test_clock',
  'notify_of_other',
]
const CREATION_STATEMENTS = [
  'insert_customers',
  'insert_claims',
  'insert_claims_on_test_clock',
  'insert_test_clock',
]
/** The same on distributed tables. */
const SHARD_WRITE_STATEMENTS = [
  'read_live_clock',
  'hold_test_clocks',
  'write_to_shards',
  'move_in_shards',
  'notify_in_shards',
  'take_positions',
  'insert_in_shards',
]
/** The service's named statements with fault injection. */
export const FAULTED_STATEMENTS: readonly string[] = [
  ...CHECK_STATEMENTS,
  ...GROUP_STATEMENTS,
  ...ADVANCE_STATEMENTS,
  ...CREATION_STATEMENTS,
  ...SHARD_WRITE_STATEMENTS,
]

const TIMEOUT_MS = 5_000

const statementFault = (
  name: string,
  statements: readonly string[],
  mostOccurrence: number,
  leastOccurrence = 1,
): LocalFault => ({
  name,
  unavailable: alwaysAvailable,
  inject: async (testbed, random, signal) => {
    const aim = {
      statement: random.pick(statements),
      occurrence: random.int(leastOccurrence, mostOccurrence),
    }
    // Not silences, which last until the server's timeout: `databaseSilent` injects them.
    const kind = random.pick(QUICK_FAULTS)
    return await injectInto(testbed, aim, kind, signal)
  },
})

/** Injects the fault into the statement of the server that sends it first. */
async function injectInto(
  testbed: LocalTestbed,
  aim: { statement: string; occurrence: number },
  kind: string,
  signal: AbortSignal,
): Promise<string | null> {
  const proxies = testbed.servers.map(({ proxy }) => proxy)
  const disarm = testbed.onRecover(() => {
    for (const proxy of proxies) proxy.disarm()
  })
  try {
    for (const proxy of proxies) proxy.inject(aim, STATEMENT_FAULTS[kind] ?? 'cut before')
    const wasInjected = await waitUntil(
      () => proxies.some((proxy) => proxy.wasInjected()),
      TIMEOUT_MS,
      signal,
    )
    return wasInjected ? `${aim.statement} (number ${aim.occurrence}): ${kind}` : null
  } finally {
    await disarm()
  }
}

/** Commits of submissions and checks. */
export const commitFault = statementFault('commit-struck', ['COMMIT'], 5)
export const groupFault = statementFault('group-struck', GROUP_STATEMENTS, 5)
export const advanceFault = statementFault('advance-struck', [...TRANSACTION, ...ADVANCE_STATEMENTS], 2)
export const creationFault = statementFault('creation-struck', CREATION_STATEMENTS, 3)

export const shardWriteFault: LocalFault = {
  ...statementFault('shard-write-struck', SHARD_WRITE_STATEMENTS, 5),
  requires: 'shard nodes',
}

/** From just before the whole minute on. */
const inCheck = (fault: LocalFault): LocalFault => ({
  ...fault,
  atCheck: true,
  inject: async (testbed, random, signal) => {
    const isTime = await waitForCheck(20, signal)
    return isTime ? await fault.inject(testbed, random, signal) : null
  },
})

export const checkFault = inCheck(statementFault('check-struck', [...TRANSACTION, ...CHECK_STATEMENTS], 1))
/** Statements of a check while it moves the first batch. */
export const nextBatchFault = inCheck(statementFault('next-batch-of-check-struck', [NEXT_BATCH], 2, 2))
