import { STATEMENT_FAULTS } from '../../tests/faults/faults.ts'
import type { RealStage } from '../stage/real-stage.ts'
import { possible, type RealFault, waitForCheck, waitUntil } from './moments.ts'

/** Silences are a fault of their own: they last until the server's timeout. */
const KINDS = Object.keys(STATEMENT_FAULTS).filter(
  (kind) => !/silence|nothing is heard|never comes/.test(kind),
)
const TRANSACTION = ['BEGIN', 'COMMIT']
const OF_A_CHECK = [
  'take_check_turns',
  'take_back_totals',
  'list_due',
  'read_due_kinds',
  'hold_totals_before',
  'move_kinds',
]
const NEXT_BATCH = 'read_due_kinds'
const OF_A_GROUP = [
  'read_claims_to_decide',
  'append_events',
  'append_events_on_test_clocks',
  'append_extended_events',
]
const OF_AN_ADVANCE = [
  'hold_test_clock',
  'announce_notifications',
  'find_due_claims_on_test_clock',
  'apply_moves',
  'set_test_clock',
  'notify_of_other',
]
const OF_A_CREATION = [
  'insert_customers',
  'insert_claims',
  'insert_claims_on_test_clock',
  'insert_test_clock',
]
/** The statements in their place on distributed tables. */
const OF_A_SHARD_WRITE = [
  'read_live_clock',
  'hold_test_clocks',
  'write_to_shards',
  'move_in_shards',
  'notify_in_shards',
  'take_positions',
  'insert_in_shards',
]
/** Named statements of the service that a fault strikes. */
export const STRUCK_STATEMENTS: readonly string[] = [
  ...OF_A_CHECK,
  ...OF_A_GROUP,
  ...OF_AN_ADVANCE,
  ...OF_A_CREATION,
  ...OF_A_SHARD_WRITE,
]

const TIMEOUT_MS = 5_000

const struck = (
  name: string,
  statements: readonly string[],
  mostOccurrence: number,
  leastOccurrence = 1,
): RealFault => ({
  name,
  unavailable: possible,
  strike: async (stage, random, signal) => {
    const aim = {
      statement: random.pick(statements),
      occurrence: random.int(leastOccurrence, mostOccurrence),
    }
    const kind = random.pick(KINDS)
    return await strikeOneOf(stage, aim, kind, signal)
  },
})

/** Strikes the statement on the server that sends it first. */
async function strikeOneOf(
  stage: RealStage,
  aim: { statement: string; occurrence: number },
  kind: string,
  signal: AbortSignal,
): Promise<string | null> {
  const proxies = stage.servers.map(({ proxy }) => proxy)
  const disarm = stage.untilCalm(() => {
    for (const proxy of proxies) proxy.disarm()
  })
  try {
    for (const proxy of proxies) proxy.inject(aim, STATEMENT_FAULTS[kind] ?? 'cut before')
    const wasInjected = await waitUntil(
      () => proxies.some((proxy) => proxy.wasInjected()),
      TIMEOUT_MS,
      signal,
    )
    return wasInjected ? `${aim.statement} (number ${aim.occurrence}) struck: ${kind}` : null
  } finally {
    await disarm()
  }
}

/** Commits of submissions and checks. */
export const commitStruck = struck('commit-struck', ['COMMIT'], 5)
export const groupStruck = struck('group-struck', OF_A_GROUP, 5)
export const advanceStruck = struck('advance-struck', [...TRANSACTION, ...OF_AN_ADVANCE], 2)
export const creationStruck = struck('creation-struck', OF_A_CREATION, 3)

export const shardWriteStruck: RealFault = {
  ...struck('shard-write-struck', OF_A_SHARD_WRITE, 5),
  need: 'shard nodes',
}

/** From just before the whole minute on. */
const inCheck = (fault: RealFault): RealFault => ({
  ...fault,
  atCheck: true,
  strike: async (stage, random, signal) => {
    const isTime = await waitForCheck(20, signal)
    return isTime ? await fault.strike(stage, random, signal) : null
  },
})

export const checkStruck = inCheck(struck('check-struck', [...TRANSACTION, ...OF_A_CHECK], 1))
/** Statements of a check while it moves the first batch. */
export const nextBatchStruck = inCheck(struck('next-batch-of-check-struck', [NEXT_BATCH], 2, 2))
