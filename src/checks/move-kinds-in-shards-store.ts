import { kindOf, WHAT_IT_BECOMES } from '../claims/write/guarded-write-store.ts'
import { takeNumbers, WHAT_HAPPENED } from '../outbox/notification-number-store.ts'
import { machinesOf, queryInShards, type ShardStatement } from '../platform/database/citus/in-shards.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import { joined, type KindMove, statesOf } from './kind-move.ts'

/** What moved of a shard; lists as PostgreSQL writes arrays. */
interface Moved {
  count: number
  ids: string
  user_ids: string
  sequences: string
  numbers_of_moves: string
}

/** As `move_kinds` in move-claims.ts, with what the notifications need in its answer. */
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
export async function moveKindsInShards(
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
