import type { Connection } from '../database/connection.ts'
import { plainArray } from '../database/sql-array.ts'
import { type InShard, machinesOf, queryInShards, type ShardStatement } from '../distribution/in-shards.ts'
import type { OfShard } from '../distribution/shards.ts'
import { takeNumbers, WHAT_HAPPENED } from '../notifications/numbers.ts'
import { WHAT_IT_BECOMES } from './guarded-write.ts'
import { joined, type KindMove, statesOf } from './kind-move.ts'

/** What moved of one shard; lists as PostgreSQL writes arrays. */
interface Moved {
  shard: string
  count: number
  ids: string
  user_ids: string
  sequences: string
  numbers_of_moves: string
}

/** As `move_kinds` in move-claims.ts, with what the notifications need in its answer. $11: the shard's number. */
const MOVE: ShardStatement = {
  name: 'move_kinds_in_shards',
  columns: 'shard text, count integer, ids text, user_ids text, sequences text, numbers_of_moves text',
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
      SELECT $11::text, count(*)::integer, array_agg(id)::text, array_agg(user_id)::text, array_agg(sequence)::text,
        array_agg(number)::text
      FROM written`,
}

const NOTIFY: ShardStatement = {
  name: 'notify_of_kinds_in_shards',
  columns: 'done boolean',
  text: `WITH told AS (
        INSERT INTO {{notifications}} (number, ${WHAT_HAPPENED}, created_at)
        SELECT n.number, n.user_id, n.id, lower(m.status), n.sequence, m.at, m.due, m.outcome, $10::timestamptz
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
  const toPart = ({ shard, items }: OfShard<KindMove>): InShard => ({
    shard,
    claimId: firstOf((items[0] as KindMove).kind.ids),
    values: [
      joined(items.map(({ kind }) => kind.ids)),
      joined(items.map(({ kind }) => kind.eventCounts)),
      plainArray(
        items.flatMap((move) => new Array<number>(move.kind.count).fill(numbers.get(move) as number)),
      ),
      ...all,
      shard.id,
    ],
  })
  const written = new Map<string, Moved>()
  for (const shards of machines) {
    for (const moved of await queryInShards<Moved>(db, MOVE, shards.map(toPart))) {
      if (moved.count > 0) written.set(moved.shard, moved)
    }
  }
  await notify(db, machines, written, states)
  return countOf(written)
}

/** Numbers are taken once nothing is waited for: see `notifyInShards`. */
async function notify(
  db: Connection,
  machines: readonly (readonly OfShard<KindMove>[])[],
  written: ReadonlyMap<string, Moved>,
  states: readonly string[],
): Promise<void> {
  if (written.size === 0) return
  const { key, numbers, now } = await takeNumbers(db, countOf(written), null)
  // The machine may commit them after the coordinator has given up: so it holds the lock too.
  const statement = { ...NOTIFY, announced: key }
  for (const shards of machines) {
    const parts = shards.flatMap(({ shard }): InShard[] => {
      const moved = written.get(shard.id)
      if (!moved) return []
      const { ids, user_ids, sequences, numbers_of_moves, count } = moved
      const values = [
        ids,
        user_ids,
        plainArray(numbers.splice(0, count)),
        sequences,
        numbers_of_moves,
        ...states,
        now,
      ]
      return [{ shard, claimId: firstOf(ids), values }]
    })
    if (parts.length > 0) await queryInShards(db, statement, parts)
  }
}

const countOf = (written: ReadonlyMap<string, Moved>) =>
  written.values().reduce((sum, { count }) => sum + count, 0)

const firstOf = (ids: string) => ids.slice(1, 37)
