import { randomUUID } from 'node:crypto'
import { guardedWrite, kindOf, WHAT_IT_BECOMES } from '../claims/write/guarded-write-store.ts'
import { type ClaimWrite, type LogWrite, writeToShards } from '../claims/write/shard-write-store.ts'
import type { Transition } from '../core/claims/lifecycle.ts'
import { takeNumbers, WHAT_HAPPENED } from '../outbox/notification-number-store.ts'
import { notificationOf } from '../outbox/outbox-store.ts'
import { machinesOf, queryInShards, type ShardStatement } from '../platform/database/citus/in-shards.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import type { DueClaim, DueKind } from './due-claim-store.ts'

/** Due claims of one kind with the transition that they make. */
export interface KindMove {
  kind: DueKind
  transition: Transition
}

/** What the claims become: status, outcome, since when, until when. */
const statesOf = (transitions: readonly Transition[]): string[] => [
  plainArray(transitions.map(({ state }) => state.status)),
  plainArray(transitions.map(({ state }) => state.scheduledOutcome)),
  plainArray(transitions.map(({ state }) => state.statusSince)),
  plainArray(transitions.map(({ state }) => state.dueAt)),
]

/** One array of several, as PostgreSQL writes them, of what needs no quotes. */
const joined = (arrays: readonly string[]): string =>
  `{${arrays.map((array) => array.slice(1, -1)).join(',')}}`

/** The patience is set before a claim is locked. */
const MOVE_KINDS = guardedWrite({
  name: 'move_kinds',
  decided: `decided AS MATERIALIZED (
        SELECT d.id, d.seen, 1 AS added, 0 AS bytes, NULL::bytea AS digest, m.*
        FROM (SELECT set_config('lock_timeout', $4, true)) AS patience,
          unnest($1::uuid[], $2::integer[], $3::integer[]) AS d (id, seen, number)
        JOIN unnest($5::integer[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::timestamptz[], $11::text[])
          AS m (number, seen_status, status, outcome, at, due, event_type) USING (number)
        ORDER BY d.id
      )`,
  items: `SELECT id, seen + 1, gen_random_uuid()::text, event_type, '{}', true, at FROM written`,
  result: 'SELECT count(*)::integer AS moved FROM written',
})

/**
 * Makes the transitions and appends their system events, in one statement, for those claims to which nothing happened
 * since they were read. Returns how many claims moved.
 * @param longestLockWaitMs if another holds one of the claims for longer, the move fails (`isPassing`)
 */
export async function moveKinds(
  db: Connection,
  moves: readonly KindMove[],
  longestLockWaitMs: number,
): Promise<number> {
  if (db.distribution.isOn) return moveKindsInShards(db, moves, longestLockWaitMs)
  const [row] = await db.query<{ moved: number }>({
    name: 'move_kinds',
    text: MOVE_KINDS,
    values: [
      joined(moves.map(({ kind }) => kind.ids)),
      joined(moves.map(({ kind }) => kind.eventCounts)),
      plainArray(moves.flatMap(({ kind }, number) => new Array<number>(kind.count).fill(number))),
      longestLockWaitMs,
      plainArray(moves.map((_, number) => number)),
      plainArray(moves.map(({ kind }) => kind.state.status)),
      ...statesOf(moves.map(({ transition }) => transition)),
      plainArray(moves.map(({ transition }) => transition.systemEventType)),
    ],
  })
  return row?.moved ?? 0
}

/** What the claim becomes with the last of its transitions. */
function writeOf(
  id: string,
  seenStatus: ClaimWrite['seenStatus'],
  seen: number,
  transitions: readonly Transition[],
): ClaimWrite {
  const { state } = transitions.at(-1) as Transition
  const added = transitions.length
  return { id, seenStatus, seen, added, bytes: 0, digest: null, at: state.statusSince, becomes: state }
}

const itemOf = (claimId: string, seq: number, { state, systemEventType }: Transition): LogWrite => ({
  claimId,
  seq,
  id: randomUUID(),
  type: systemEventType,
  payload: '{}',
  system: true,
  at: state.statusSince,
})

/** A due claim on a test clock with the transitions that it makes, at least one, in their order. */
export interface ClaimMove {
  claim: DueClaim
  transitions: readonly Transition[]
}

const EACH_MOVE = `unnest($9::uuid[], $10::integer[], $11::text[], $12::text[], $13::text[], $14::timestamptz[],
          $15::timestamptz[]) AS e (claim_id, seq, type, status, outcome, at, due)
        JOIN written w ON w.id = e.claim_id`
const APPLY_MOVES = guardedWrite({
  name: 'apply_moves',
  decided: `decided AS MATERIALIZED (
        SELECT *, 0 AS bytes, NULL::bytea AS digest
        FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::timestamptz[],
          $8::timestamptz[]) AS m (id, seen_status, seen, added, status, outcome, at, due)
      )`,
  items: `SELECT e.claim_id, e.seq, gen_random_uuid()::text, e.type, '{}', true, e.at
        FROM ${EACH_MOVE}`,
  notifications: `SELECT w.user_id, w.id, ${kindOf('e.status')}, e.seq, e.at, e.due, e.outcome
          FROM ${EACH_MOVE} ORDER BY e.claim_id, e.seq`,
  result: 'SELECT id FROM written',
})

/**
 * Makes the moves and appends their system events, in one statement, for those claims to which nothing happened
 * since they were read. Returns how many claims moved.
 * @param announced the key of what the transaction has announced (`announceOfAccount`)
 */
export async function applyMoves(
  db: Connection,
  unordered: readonly ClaimMove[],
  announced: string,
): Promise<number> {
  if (db.distribution.isOn) return applyMovesInShards(db, unordered, announced)
  const moves = unordered.toSorted((a, b) => (a.claim.id < b.claim.id ? -1 : 1))
  const events = moves.flatMap(({ claim, transitions }) =>
    transitions.map((transition, i) => ({ claim, transition, seq: claim.eventCount + i + 1 })),
  )
  const moved = await db.query({
    name: 'apply_moves',
    text: APPLY_MOVES,
    values: [
      plainArray(moves.map(({ claim }) => claim.id)),
      plainArray(moves.map(({ claim }) => claim.state.status)),
      plainArray(moves.map(({ claim }) => claim.eventCount)),
      plainArray(moves.map(({ transitions }) => transitions.length)),
      ...statesOf(moves.map(({ transitions }) => transitions.at(-1) as Transition)),
      plainArray(events.map(({ claim }) => claim.id)),
      plainArray(events.map(({ seq }) => seq)),
      plainArray(events.map(({ transition }) => transition.systemEventType)),
      ...statesOf(events.map(({ transition }) => transition)),
    ],
  })
  return moved.length
}

async function applyMovesInShards(
  db: Connection,
  moves: readonly ClaimMove[],
  announced: string,
): Promise<number> {
  const steps = moves.flatMap(({ claim, transitions }) =>
    transitions.map((transition, i) => ({ id: claim.id, seq: claim.eventCount + i + 1, transition })),
  )
  const written = await writeToShards(
    db,
    moves.map(({ claim, transitions }) =>
      writeOf(claim.id, claim.state.status, claim.eventCount, transitions),
    ),
    steps.map(({ id, seq, transition }) => itemOf(id, seq, transition)),
    steps.map(({ id, seq, transition }) => notificationOf(id, seq, transition.state)),
    announced,
  )
  return written.size
}

/** What moved of a shard; lists as PostgreSQL writes arrays. */
interface Moved {
  count: number
  ids: string
  user_ids: string
  sequences: string
  numbers_of_moves: string
}

/** As MOVE_KINDS, and returns what the notifications need. */
const MOVE: ShardStatement = {
  name: 'move_kinds_in_shards',
  columns: 'count integer, ids text, user_ids text, sequences text, numbers_of_moves text',
  text: `WITH decided AS MATERIALIZED (
        SELECT d.id, d.seen, 1 AS added, 0 AS bytes, NULL::bytea AS digest, m.*
        FROM unnest($1::uuid[], $2::integer[], $3::integer[]) AS d (id, seen, number)
        JOIN unnest($4::integer[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::timestamptz[], $10::text[])
          AS m (number, seen_status, status, outcome, at, due, event_type) USING (number)
        ORDER BY d.id
      ),
      written AS (
        UPDATE {{claims}} c
        SET ${WHAT_IT_BECOMES}
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

const NOTIFY: ShardStatement = {
  name: 'notify_of_kinds_in_shards',
  columns: 'done boolean',
  text: `WITH told AS (
        INSERT INTO {{notifications}} (number, ${WHAT_HAPPENED}, created_at)
        SELECT n.number, n.user_id, n.id, ${kindOf('m.status')}, n.sequence, m.at, m.due, m.outcome, $10::timestamptz
        FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::integer[], $5::integer[])
          AS n (id, user_id, number, sequence, move)
        JOIN unnest($6::text[], $7::text[], $8::timestamptz[], $9::timestamptz[]) WITH ORDINALITY
          AS m (status, outcome, at, due, place) ON m.place = n.move
      )
      SELECT true`,
}

/**
 * `moveKinds` on distributed tables. To be called in a transaction, of claims of one machine. Of thousands of claims no list is
 * taken apart here.
 */
async function moveKindsInShards(
  db: Connection,
  moves: readonly KindMove[],
  longestLockWaitMs: number,
): Promise<number> {
  // SET LOCAL reaches the machine that has them, and set_config does not.
  await db.query({ text: `SET LOCAL lock_timeout = ${longestLockWaitMs}` })
  // Each kind was read of one shard.
  const machines = await machinesOf(db, moves, ({ kind }) => firstOf(kind.ids))
  const numbers = new Map(moves.map((move, i) => [move, i + 1]))
  const states = statesOf(moves.map(({ transition }) => transition))
  const all = [
    plainArray([...numbers.values()]),
    plainArray(moves.map(({ kind }) => kind.state.status)),
    ...states,
    plainArray(moves.map(({ transition }) => transition.systemEventType)),
  ]
  const answers = await queryInShards<Moved, KindMove>(db, MOVE, machines, (some) => [
    joined(some.map(({ kind }) => kind.ids)),
    joined(some.map(({ kind }) => kind.eventCounts)),
    plainArray(some.flatMap((move) => new Array<number>(move.kind.count).fill(numbers.get(move) as number))),
    ...all,
  ])
  const moved = answers.filter(({ count }) => count > 0)
  const count = moved.reduce((sum, one) => sum + one.count, 0)
  if (count > 0) await notify(db, moved, count, states)
  return count
}

/** Numbers are taken once nothing is waited for: see `notifyInShards`. */
async function notify(
  db: Connection,
  moved: readonly Moved[],
  count: number,
  states: readonly string[],
): Promise<void> {
  const { key, numbers, now } = await takeNumbers(db, count, null)
  let from = 0
  const numbered = moved.map((one) => {
    from += one.count
    return { ...one, numbers: plainArray(numbers.slice(from - one.count, from)) }
  })
  // The machine may commit them after the coordinator has given up: so it holds the lock too.
  const statement = { ...NOTIFY, announced: key }
  const machines = await machinesOf(db, numbered, ({ ids }) => firstOf(ids))
  await queryInShards(db, statement, machines, (some) => [
    joined(some.map(({ ids }) => ids)),
    joined(some.map(({ user_ids }) => user_ids)),
    joined(some.map(({ numbers }) => numbers)),
    joined(some.map(({ sequences }) => sequences)),
    joined(some.map(({ numbers_of_moves }) => numbers_of_moves)),
    ...states,
    now,
  ])
}

const firstOf = (ids: string) => ids.slice(1, 37)
