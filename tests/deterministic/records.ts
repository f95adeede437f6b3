import { candidateId } from '../support/source/claims.ts'
import type { Condition } from '../support/source/contracts.ts'
import type { Store } from './store.ts'

/* The initial records: two accounts, A and B, and a claim of each kind. */

export const ALIAS = 'alias'
const id = (n: number | string) => `00000000-0000-4000-8000-00000000000${n}`
export const CLAIM_IDS: Readonly<Record<string, string>> = {
  simple: id(1),
  both: id(2),
  long: id(3),
  clocked: id(4),
  'other clocked': id(5),
  'of B': id(6),
  'last of all': id(7),
  'beside it': id(8),
  reversible: id(9),
  'reversible on a clock': id('a'),
}

const SIMPLE: Condition = { event: 'done' }
const BOTH: Condition = { op: 'AND', conditions: [{ event: 'a' }, { event: 'b' }] }
/** `a` reverses the outcome in review, `b` restarts the review. */
const REVERSIBLE: Condition = { event: 'done' }
export const MAX_REVIEW_SECONDS = 100
const REVIEW = {
  reversal_condition: { event: 'a' },
  restart_on: { event: 'b' },
  max_duration: MAX_REVIEW_SECONDS,
}
export const ACTIVITY_SECONDS = 90
export const REVIEW_SECONDS = 60

function typesOf(condition: Condition): string[] {
  if (condition === REVERSIBLE) return ['done', 'a', 'b']
  return condition === SIMPLE ? ['done'] : ['a', 'b']
}

export function insertRecords(store: Store): void {
  const createdAt = store.now()
  for (const [clock, userId] of [
    ['clock 1', 'A'],
    ['clock 2', 'B'],
  ] as const) {
    store.clocks.set(clock, { id: clock, userId, frozenTime: createdAt })
  }
  const open = (
    id: string,
    userId: string,
    condition: Condition,
    more: { clock?: string; logBytes?: number; alias?: string } = {},
  ) =>
    store.claims.set(id, {
      id,
      userId,
      alias: more.alias ?? null,
      contract: {
        price: 1,
        activity_window: ACTIVITY_SECONDS,
        review_window: REVIEW_SECONDS,
        fulfillment_condition: condition,
        timeout_outcome: 'fail',
        ...(condition === REVERSIBLE ? { review: REVIEW } : {}),
      },
      decisiveTypes: typesOf(condition),
      status: 'OPEN',
      outcome: null,
      since: createdAt,
      dueAt: new Date(createdAt.getTime() + ACTIVITY_SECONDS * 1000),
      eventCount: 0,
      logBytes: more.logBytes ?? 0,
      testClockId: more.clock ?? null,
      createdAt,
      log: [],
      digest: null,
      lastEventAt: null,
      reviewStart: null,
      decidedCount: condition === REVERSIBLE ? 0 : null,
    })
  const {
    simple,
    both,
    long,
    clocked,
    'other clocked': other,
    'of B': ofB,
    reversible,
    'reversible on a clock': reversibleOnClock,
  } = CLAIM_IDS as Record<string, string>
  for (const untouched of ['last of all', 'beside it']) open(CLAIM_IDS[untouched] as string, 'A', BOTH)
  open(simple as string, 'A', SIMPLE)
  open(both as string, 'A', BOTH)
  // Counted as long from the start: its log is read by itself.
  open(long as string, 'A', BOTH, { logBytes: 64 * 1024 })
  open(clocked as string, 'A', SIMPLE, { clock: 'clock 1' })
  open(other as string, 'B', BOTH, { clock: 'clock 2' })
  open(ofB as string, 'B', SIMPLE)
  open(reversible as string, 'A', REVERSIBLE)
  open(reversibleOnClock as string, 'A', REVERSIBLE, { clock: 'clock 1' })
  open(candidateId(ALIAS), 'A', BOTH, { alias: ALIAS })
}
