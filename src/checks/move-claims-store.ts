import { randomUUID } from 'node:crypto'
import {
  CLAIM_CHANGES_BY_CHECK,
  CLAIM_WRITE,
  type ClaimWrite,
  guardedWrite,
  kindOf,
  type LogWrite,
  MOVE_IN_SHARDS,
  writeToShards,
} from '../claims/write/guarded-write-store.ts'
import type { Transition } from '../core/claims/lifecycle.ts'
import { NOTIFICATION_COLUMNS, takeNumbers } from '../outbox/notification-number-store.ts'
import { notificationOf } from '../outbox/outbox-store.ts'
import { nodesOf, queryInShards, type ShardStatement } from '../platform/database/citus/in-shards.ts'
import { type ColumnList, Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import type { DueClaim, DueGroup } from './due-claim-store.ts'

/** Due claims that make the same transition. */
export interface TransitionGroup extends DueGroup {
  transition: Transition
}

/** The state after a transition. */
const STATE = {
  status: ['text', ({ transition: { state } }) => state.status],
  outcome: ['text', ({ transition: { state } }) => state.scheduledOutcome],
  at: ['timestamptz', ({ transition: { state } }) => state.statusSince],
  due: ['timestamptz', ({ transition: { state } }) => state.dueAt],
} satisfies ColumnList<{ transition: Transition }>

/** The columns of a `TransitionGroup`. @param first the number of the first parameter */
const groupsFrom = (first: number) =>
  new Columns<TransitionGroup>(
    {
      number: ['integer', (_, index) => index],
      seen_status: ['text', ({ state }) => state.status],
      ...STATE,
      event_type: ['text', ({ transition }) => transition.systemEventType],
    },
    first,
  )

/** Joins PostgreSQL array literals whose elements need no quotes. */
const joined = (arrays: readonly string[]): string =>
  `{${arrays.map((array) => array.slice(1, -1)).join(',')}}`

const GROUPS = groupsFrom(5)
/** Sets the lock timeout before it locks a claim. */
const MOVE_KINDS = guardedWrite({
  name: 'move_kinds',
  becomes: CLAIM_CHANGES_BY_CHECK,
  decided: `decided AS MATERIALIZED (
        SELECT d.id, d.seen, 1 AS added, 0 AS bytes, NULL::bytea AS digest, m.*
        FROM (SELECT set_config('lock_timeout', $4, true)) AS lock_timeout,
          unnest($1::uuid[], $2::integer[], $3::integer[]) AS d (id, seen, number)
        JOIN ${GROUPS.as('m')} USING (number)
        ORDER BY d.id
      )`,
  items: `SELECT id, seen + 1, gen_random_uuid()::text, event_type, '{}', true, at FROM written`,
  result: 'SELECT count(*)::integer AS moved FROM written',
})

/**
 * Makes the transitions and appends their system events, in one statement. Skips claims that have changed since they were read.
 * Returns how many claims moved.
 * @param lockTimeoutMs if another transaction locks one of the claims for longer, the statement fails (`isTransient`)
 */
export async function moveGroups(
  db: Connection,
  groups: readonly TransitionGroup[],
  lockTimeoutMs: number,
): Promise<number> {
  if (db.distribution.isOn) return moveGroupsInShards(db, groups, lockTimeoutMs)
  const [row] = await db.query<{ moved: number }>({
    name: 'move_kinds',
    text: MOVE_KINDS,
    values: [
      joined(groups.map(({ ids }) => ids)),
      joined(groups.map(({ eventCounts }) => eventCounts)),
      plainArray(groups.flatMap(({ count }, number) => new Array<number>(count).fill(number))),
      lockTimeoutMs,
      ...GROUPS.values(groups),
    ],
  })
  return row?.moved ?? 0
}

/** A due claim on a test clock with its transitions, at least one, in their order. */
export interface ClaimMove {
  claim: DueClaim
  transitions: readonly Transition[]
}

/** The claim after the last of its transitions. */
function writeOf({ claim, transitions }: ClaimMove): ClaimWrite {
  const { state } = transitions.at(-1) as Transition
  const { id, eventCount: seen, state: before } = claim
  const added = transitions.length
  const seenStatus = before.status
  return { id, seenStatus, seen, added, bytes: 0, digest: null, at: state.statusSince, becomes: state }
}

const itemOf = ({ claim, seq, transition: { state, systemEventType } }: Step): LogWrite => ({
  claimId: claim.id,
  seq,
  id: randomUUID(),
  type: systemEventType,
  payload: '{}',
  system: true,
  at: state.statusSince,
})

/** A transition of a claim with its place in the log. */
interface Step {
  claim: DueClaim
  seq: number
  transition: Transition
}
const stepsOf = (moves: readonly ClaimMove[]): Step[] =>
  moves.flatMap(({ claim, transitions }) =>
    transitions.map((transition, i) => ({ claim, seq: claim.eventCount + i + 1, transition })),
  )

const CLAIMS = new Columns<ClaimWrite>(CLAIM_WRITE)
const STEPS = new Columns<Step>(
  {
    claim_id: ['uuid', ({ claim }) => claim.id],
    seq: ['integer', ({ seq }) => seq],
    type: ['text', ({ transition }) => transition.systemEventType],
    ...STATE,
  },
  CLAIMS.next,
)
const EACH_STEP = `${STEPS.as('e')} JOIN written w ON w.id = e.claim_id`
const APPLY_MOVES = guardedWrite({
  name: 'apply_moves',
  becomes: CLAIM_CHANGES_BY_CHECK,
  decided: `decided AS MATERIALIZED (SELECT *, NULL::bytea AS digest FROM ${CLAIMS.as('m')})`,
  items: `SELECT e.claim_id, e.seq, gen_random_uuid()::text, e.type, '{}', true, e.at
        FROM ${EACH_STEP}`,
  notifications: `SELECT w.user_id, w.id, ${kindOf('e.status')}, e.seq, e.at, e.due, e.outcome
          FROM ${EACH_STEP} ORDER BY e.claim_id, e.seq`,
  result: 'SELECT id FROM written',
})

/**
 * Makes the moves and appends their system events, in one statement. Skips claims that have changed since they were read.
 * Returns how many claims moved.
 * @param announced the key of the transaction's announcement (`announceOfAccount`)
 */
export async function applyMoves(
  db: Connection,
  unordered: readonly ClaimMove[],
  announced: string,
): Promise<number> {
  if (db.distribution.isOn) return applyMovesInShards(db, unordered, announced)
  const moves = unordered.toSorted((a, b) => (a.claim.id < b.claim.id ? -1 : 1))
  const moved = await db.query({
    name: 'apply_moves',
    text: APPLY_MOVES,
    values: [...CLAIMS.values(moves.map(writeOf)), ...STEPS.values(stepsOf(moves))],
  })
  return moved.length
}

async function applyMovesInShards(
  db: Connection,
  moves: readonly ClaimMove[],
  announced: string,
): Promise<number> {
  const steps = stepsOf(moves)
  const written = await writeToShards(
    db,
    MOVE_IN_SHARDS,
    moves.map(writeOf),
    steps.map(itemOf),
    steps.map(({ claim, seq, transition }) => notificationOf(claim.id, seq, transition.state)),
    announced,
  )
  return written.size
}

/** The claims of a shard that moved. The lists are PostgreSQL array literals. */
interface Moved {
  count: number
  ids: string
  user_ids: string
  sequences: string
  numbers_of_moves: string
}

const SHARD_GROUPS = groupsFrom(4)
/** `MOVE_KINDS` in a shard. Also returns the values of the notifications. */
const MOVE: ShardStatement = {
  name: 'move_kinds_in_shards',
  columns: 'count integer, ids text, user_ids text, sequences text, numbers_of_moves text',
  text: `WITH decided AS MATERIALIZED (
        SELECT d.id, d.seen, 1 AS added, 0 AS bytes, NULL::bytea AS digest, m.*
        FROM unnest($1::uuid[], $2::integer[], $3::integer[]) AS d (id, seen, number)
        JOIN ${SHARD_GROUPS.as('m')} USING (number)
        ORDER BY d.id
      ),
      written AS (
        UPDATE {{claims}} c
        SET ${CLAIM_CHANGES_BY_CHECK}
        FROM decided d
        WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND c.status = d.seen_status AND c.event_count = d.seen
        RETURNING c.id, c.user_id, d.seen + 1 AS sequence, d.number, d.event_type, d.at
      ),
      logged AS (
        INSERT INTO {{claim_events}} (claim_id, seq, id, type, payload, system, created_at)
        SELECT id, sequence, gen_random_uuid()::text, event_type, '{}', true, at FROM written
      )
      SELECT count(*)::integer, array_agg(id)::text, array_agg(user_id)::text, array_agg(sequence)::text,
        array_agg(number)::text
      FROM written`,
}

const STATES = new Columns<TransitionGroup>(STATE, 6)
const NOTIFY: ShardStatement = {
  name: 'notify_of_kinds_in_shards',
  columns: 'done boolean',
  text: `WITH notified AS (
        INSERT INTO {{notifications}} (number, ${NOTIFICATION_COLUMNS}, created_at)
        SELECT n.number, n.user_id, n.id, ${kindOf('m.status')}, n.sequence, m.at, m.due, m.outcome, $${STATES.next}::timestamptz
        FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::integer[], $5::integer[])
          AS n (id, user_id, number, sequence, move)
        JOIN ${STATES.as('m', 'place')} ON m.place = n.move + 1
      )
      SELECT true`,
}

/**
 * `moveGroups` on distributed tables. Call it in a transaction, with claims of one node. Lists of ids stay PostgreSQL array literals:
 * parsing thousands of ids here would cost processor time.
 */
async function moveGroupsInShards(
  db: Connection,
  groups: readonly TransitionGroup[],
  lockTimeoutMs: number,
): Promise<number> {
  // SET LOCAL is sent to the node of the claims; set_config is not.
  await db.query({ text: `SET LOCAL lock_timeout = ${lockTimeoutMs}` })
  // Each group was read from one shard.
  const nodes = await nodesOf(db, groups, ({ ids }) => firstOf(ids))
  const numbers = new Map(groups.map((group, i) => [group, i]))
  const all = SHARD_GROUPS.values(groups)
  const results = await queryInShards<Moved, TransitionGroup>(db, MOVE, nodes, (some) => [
    joined(some.map(({ ids }) => ids)),
    joined(some.map(({ eventCounts }) => eventCounts)),
    plainArray(some.flatMap((group) => new Array<number>(group.count).fill(numbers.get(group) as number))),
    ...all,
  ])
  const moved = results.filter(({ count }) => count > 0)
  const count = moved.reduce((sum, one) => sum + one.count, 0)
  if (count > 0) await notify(db, moved, count, STATES.values(groups))
  return count
}

/** Takes numbers last, because the feeds of all accounts wait for taken numbers: see `notifyInShards`. */
async function notify(
  db: Connection,
  moved: readonly Moved[],
  count: number,
  states: readonly unknown[],
): Promise<void> {
  const { key, numbers, now } = await takeNumbers(db, count, null)
  let from = 0
  const numbered = moved.map((one) => {
    from += one.count
    return { ...one, numbers: plainArray(numbers.slice(from - one.count, from)) }
  })
  // A node may commit after the transaction has failed on the coordinator, so the node holds the lock too.
  const statement = { ...NOTIFY, announced: key }
  const nodes = await nodesOf(db, numbered, ({ ids }) => firstOf(ids))
  await queryInShards(db, statement, nodes, (some) => [
    joined(some.map(({ ids }) => ids)),
    joined(some.map(({ user_ids }) => user_ids)),
    joined(some.map(({ numbers }) => numbers)),
    joined(some.map(({ sequences }) => sequences)),
    joined(some.map(({ numbers_of_moves }) => numbers_of_moves)),
    ...states,
    now,
  ])
}

/** The first id of an array literal. */
const firstOf = (ids: string) => ids.slice(1, 37)
