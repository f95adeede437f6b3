import type { ClaimState, Status } from '../../core/claims/lifecycle.ts'
import { ANNOUNCE, insertNotifications } from '../../outbox/notification-number-store.ts'
import { type ClaimNotification, notifyInShards } from '../../outbox/outbox-store.ts'
import { hasEventNotifications } from '../../outbox/webhook-endpoint-store.ts'
import { nodesOf, queryInShards, type ShardStatement } from '../../platform/database/citus/in-shards.ts'
import { type ColumnList, Columns } from '../../platform/database/columns.ts'
import type { Connection } from '../../platform/database/connection.ts'

/** The new state of a claim. */
export interface ClaimWrite {
  id: string
  seenStatus: Status
  /** The number of log items that the decision is based on. */
  seen: number
  /** Log items and bytes of payloads that the log gains. */
  added: number
  bytes: number
  /** The digest of the log with the new items (see `log-digest.ts`), hexadecimal; null for none. */
  digest: string | null
  at: Date
  /** Null if the state stays the same. */
  becomes: ClaimState | null
}

/** A new item of a claim's log. */
export interface LogWrite {
  claimId: string
  seq: number
  id: string
  type: string
  /** JSON. */
  payload: string
  system: boolean
  at: Date
}

/** Columns of `decided` that have the same value on one PostgreSQL and on distributed tables. */
export const DECIDED = {
  id: ['uuid', ({ id }) => id],
  seen: ['integer', ({ seen }) => seen],
  added: ['integer', ({ added }) => added],
  bytes: ['integer', ({ bytes }) => bytes],
  hex_digest: ['text', ({ digest }) => digest],
  status: ['text', ({ becomes }) => becomes?.status ?? null],
  outcome: ['text', ({ becomes }) => becomes?.scheduledOutcome ?? null],
} satisfies ColumnList<
  Omit<ClaimWrite, 'seenStatus' | 'at' | 'becomes'> & {
    becomes: Pick<ClaimState, 'status' | 'scheduledOutcome'> | null
  }
>

/** The columns of `decided` if the time of the write is known. */
export const CLAIM_WRITE = {
  ...DECIDED,
  seen_status: ['text', ({ seenStatus }) => seenStatus],
  at: ['timestamptz', ({ at }) => at],
  due: ['timestamptz', ({ becomes }) => becomes?.dueAt ?? null],
} satisfies ColumnList<ClaimWrite>

/** The columns of a log item that is an event of a caller. */
export const LOG_EVENT = {
  claim_id: ['uuid', ({ claimId }) => claimId],
  seq: ['integer', ({ seq }) => seq],
  id: ['text', ({ id }) => id],
  type: ['text', ({ type }) => type],
  payload: ['json', ({ payload }) => payload],
} satisfies ColumnList<Omit<LogWrite, 'system' | 'at'>>

/** The parts of a guarded write, as SQL. */
interface Parts {
  name: string
  /** The assignments of the UPDATE of a claim `c` from a row `d` of `decided`. */
  becomes?: string
  /**
   * CTEs. The last one is `decided`, materialized, with these columns:
   * - `id`; $1 has all ids
   * - `seen_status` and `seen`: the status and the number of log items that the decision is based on
   * - `added` and `bytes`: log items and bytes of payloads that the log gains
   * - `at`: the time of the write
   * - `status`, `outcome` and `due`: the new state; `status` is null if the state stays the same
   * - `digest`: of the new log, null for none (see `log-digest.ts`)
   *
   * The rows are in the order of ids. All statements lock claims in this order, so they cannot deadlock.
   */
  decided: string
  /**
   * The new log items of the claims in `written`: claim_id, seq, id, type, payload, system, created_at. `written` has the
   * columns of `decided` and `user_id`.
   */
  items: string
  /** Whether the items also have `late_ms`. */
  haveLateness?: true
  /** claim_id and seq of each user event. Accounts with event notifications get one for each. */
  events?: string
  /**
   * The notifications (`NOTIFICATION_COLUMNS`). Without it, each change of a state stores one. The transaction has announced them.
   */
  notifications?: string
  /** The SELECT of the statement, from `decided` and `written`. */
  result: string
}

/** The assignments to a claim `c` from a row `d` of `decided`. */
const CLAIM_CHANGES = `event_count = d.seen + d.added, log_bytes = c.log_bytes + d.bytes,
          status = CASE WHEN d.status IS NULL THEN c.status ELSE d.status END,
          scheduled_outcome = CASE WHEN d.status IS NULL THEN c.scheduled_outcome ELSE d.outcome END,
          status_since = CASE WHEN d.status IS NULL THEN c.status_since ELSE d.at END,
          due_at = CASE WHEN d.status IS NULL THEN c.due_at ELSE d.due END,
          log_digest = d.digest, last_event_at = CASE WHEN d.status IS NULL THEN d.at END`

/**
 * The same for a scheduled check, which moves claims of any contract and ends the activity window. `decided_count`
 * stays null for other contracts. For an extended contract it must follow `event_count`: otherwise the constraint
 * `extended_contract_is_known` refuses the write.
 */
export const CLAIM_CHANGES_BY_CHECK = `${CLAIM_CHANGES}, decided_count = c.decided_count + d.added,
          remaining_ms = NULL, clock_since = NULL`

const itemColumns = (haveLateness = false) =>
  `claim_id, seq, id, type, payload, system, created_at${haveLateness ? ', late_ms' : ''}`

/** SQL: the kind of notification for a change to this status. In some locales `lower('I')` is not `i`. */
export const kindOf = (status: string): string => `lower(${status} COLLATE "C")`

const CHANGES = `SELECT user_id, id, ${kindOf('status')}, seen + added, at, due, outcome
          FROM written, announced WHERE status IS NOT NULL`

/** The accounts of the written claims that get event notifications. Looks each account up once. */
const WRITTEN_SUBSCRIBERS = `subscribers AS MATERIALIZED (
        SELECT user_id FROM (SELECT DISTINCT user_id FROM written) AS account WHERE ${hasEventNotifications('account.user_id')}
      ),`
/**
 * The notifications of events. An event comes before the change that it makes. The statement sees the claims' rows as they
 * were before it. That is the state of each of its events, because only the last event of a claim changes the state.
 */
const withEvents = (events: string) => `(
          SELECT c.user_id, c.id, 'recorded', e.seq, c.status_since, c.due_at, c.scheduled_outcome
          FROM subscribers JOIN written w ON w.user_id = subscribers.user_id JOIN ${events} ON e.claim_id = w.id
          JOIN claims c ON c.id = w.id, announced
          WHERE c.id = ANY ($1::uuid[]) ORDER BY e.seq
        ) UNION ALL `

/**
 * The statement of every write to existing claims. It updates each claim whose status and number of log items are those of
 * the decision, inserts the new log items, and stores the notifications. It skips claims that have changed since they were
 * read. Further writes that go with a change of a claim belong here.
 *
 * `c.id = ANY ($1)` repeats the join on purpose: with the join alone, or with a constant status, the planner may scan a
 * whole table or index. Distributed tables need it to find the shards.
 */
export const guardedWrite = ({
  name,
  becomes = CLAIM_CHANGES,
  decided,
  items,
  haveLateness,
  events,
  notifications,
  result,
}: Parts): string => `-- ${name}
      WITH ${decided},
      written AS (
        UPDATE claims c
        SET ${becomes}
        FROM decided d
        WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND c.status = d.seen_status AND c.event_count = d.seen
        RETURNING c.user_id, d.*
      ),
      logged AS (
        INSERT INTO claim_events (${itemColumns(haveLateness)})
        ${items}
      ),
      ${events ? WRITTEN_SUBSCRIBERS : ''}
      ${notifications ? '' : `announced AS MATERIALIZED (${ANNOUNCE} WHERE EXISTS (SELECT FROM decided WHERE status IS NOT NULL)${events ? ' OR EXISTS (SELECT FROM subscribers)' : ''}),`}
      notified AS (
        ${insertNotifications(notifications ?? `${events ? withEvents(events) : ''}${CHANGES}`)}
      )
      ${result}`

/** The columns of any log item. */
export const LOG_ITEM = {
  ...LOG_EVENT,
  system: ['boolean', ({ system }) => system],
  at: ['timestamptz', ({ at }) => at],
} satisfies ColumnList<LogWrite>

/** The guarded write in the tables of a shard. */
export interface ShardWrite<Write, Item> {
  statement: ShardStatement
  writes: Columns<Write>
  items: Columns<Item>
}

/** @param decided SQL: the columns of `decided` (see `Parts`), from the columns of the writes */
export function shardWrite<Write, Item>(parts: {
  name: string
  writes: ColumnList<Write>
  decided: string
  becomes: string
  items: ColumnList<Item>
  haveLateness?: true
}): ShardWrite<Write, Item> {
  const writes = new Columns<Write>(parts.writes)
  const items = new Columns<Item>(parts.items, writes.next)
  const text = `WITH written AS (
        UPDATE {{claims}} c
        SET ${parts.becomes}
        FROM (
          SELECT ${parts.decided} FROM ${writes.as('d')}
        ) AS d
        WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND c.status = d.seen_status AND c.event_count = d.seen
        RETURNING c.id
      ),
      logged AS (
        INSERT INTO {{claim_events}} (${itemColumns(parts.haveLateness)})
        SELECT e.* FROM ${items.as('e')} JOIN written w ON w.id = e.claim_id
      )
      SELECT id FROM written`
  return { statement: { name: parts.name, text, columns: 'id uuid' }, writes, items }
}

const DECIDED_IN_SHARD = "*, decode(hex_digest, 'hex') AS digest"
/** Appends events to claims of contracts of the five fields. */
export const APPEND_IN_SHARDS = shardWrite<ClaimWrite, LogWrite>({
  name: 'write_to_shards',
  writes: CLAIM_WRITE,
  decided: DECIDED_IN_SHARD,
  becomes: CLAIM_CHANGES,
  items: LOG_ITEM,
})
/** Makes the transitions of a scheduled check. */
export const MOVE_IN_SHARDS = shardWrite<ClaimWrite, LogWrite>({
  name: 'move_in_shards',
  writes: CLAIM_WRITE,
  decided: DECIDED_IN_SHARD,
  becomes: CLAIM_CHANGES_BY_CHECK,
  items: LOG_ITEM,
})

/**
 * The guarded write on distributed tables. Runs in a transaction, unless all claims are on one node and there are no
 * notifications. Returns the ids of the written claims.
 * @param announced the key of the transaction's announcement (`announceOfAccount`); null without one
 */
export async function writeToShards<Write extends { id: string }, Item extends { claimId: string }>(
  db: Connection,
  form: ShardWrite<Write, Item>,
  writes: readonly Write[],
  items: readonly Item[],
  notifications: readonly ClaimNotification[],
  announced: string | null,
): Promise<Set<string>> {
  const nodes = await nodesOf(db, writes, ({ id }) => id)
  const itemsOf = Map.groupBy(items, ({ claimId }) => claimId)
  const notificationsOf = Map.groupBy(notifications, ({ subjectId }) => subjectId)
  const write = async (connection: Connection) => {
    const rows = await queryInShards<{ id: string }, Write>(
      connection,
      form.statement,
      nodes,
      (shardWrites) => {
        const inOrder = shardWrites.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        return [
          ...form.writes.values(inOrder),
          ...form.items.values(inOrder.flatMap(({ id }) => itemsOf.get(id) ?? [])),
        ]
      },
    )
    const writtenNotifications = rows.flatMap(({ id }) => notificationsOf.get(id) ?? [])
    await notifyInShards(connection, writtenNotifications, announced)
    return new Set(rows.map(({ id }) => id))
  }
  return nodes.length === 1 && notifications.length === 0 ? write(db) : db.transaction(write)
}
