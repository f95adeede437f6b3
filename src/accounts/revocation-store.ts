import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { REVOCATIONS_RECEIVED } from '../platform/database/advisory-locks.ts'
import type { Connection } from '../platform/database/connection.ts'
import type { Database } from '../platform/database/database.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'
import { CLOSE_WATCH_TIMEOUT_MS, REVOCATION_POLL_INTERVAL_MS } from './limits.ts'

/*
 * Acknowledged revocation of tokens. PostgreSQL notifies the servers of each revoked or changed token by NOTIFY (migration 0003).
 * Each revocation has a number. A server holds a shared advisory lock on the number of the last revocation that it received.
 * A revocation waits until no server holds a lock on an earlier number. PostgreSQL releases the lock of a lost server.
 */

const CHANNEL = 'claimkeeper_revocations'

export interface RevocationWatch {
  /** Resolves once all notifications that were sent before the call have arrived. Rejects if the watch is broken. */
  catchUp: (timeoutMs: number) => Promise<void>
  close: () => Promise<void>
}

/**
 * Listens on a connection of its own. Receives each revocation that is committed after this call resolves. This holds while calls
 * of `catchUp` succeed.
 * @param onRevoked receives the SHA-256 hash of each revoked or changed token
 * @param onLost called when the session ends, possibly several times. No call of `catchUp` resolves afterwards.
 */
export async function watchRevocations(
  db: Database,
  onRevoked: (hash: Buffer) => void,
  onLost: () => void,
): Promise<RevocationWatch> {
  const client = await db.openSession()
  const probe = randomUUID()
  let onProbe = () => {}
  let acknowledged: number | null = null
  let lastSent: Promise<unknown> = Promise.resolve()
  let isLost = false

  const markLost = () => {
    isLost = true
    onLost()
  }

  client.on('notification', ({ payload = '' }) => {
    if (payload === probe) return onProbe()
    const [number, hash] = payload.split(' ')
    if (hash === undefined) return
    onRevoked(Buffer.from(hash, 'hex'))
    // A watch that cannot acknowledge would delay every revocation: ending the connection releases its locks. The driver reports
    // the end of a session by the statement in progress, and the event only later.
    acknowledge(Number(number)).catch(() => {
      markLost()
      return endSession(client)
    })
  })
  // If PostgreSQL ends the session, `error` is emitted before the locks of the session are released, and `end` afterwards.
  for (const event of ['error', 'end'] as const) client.on(event, markLost)

  /** Sends the statements one after another: the driver must not queue them when many revocations arrive at once. */
  function send(text: string, values: unknown[]): Promise<unknown> {
    const sent = lastSent.then(() => client.query(text, values))
    lastSent = sent.catch(() => {})
    return sent
  }

  /** Takes the new lock before it releases the previous one, so that the server always holds one. */
  async function acknowledge(number: number): Promise<void> {
    const previous = acknowledged
    acknowledged = number
    await send('SELECT pg_advisory_lock_shared($1, $2)', [REVOCATIONS_RECEIVED, number])
    if (previous !== null)
      await send('SELECT pg_advisory_unlock_shared($1, $2)', [REVOCATIONS_RECEIVED, previous])
  }

  try {
    // The only writes of this connection are its own probes, which may be lost with the database.
    await client.query('SET synchronous_commit = off')
    await client.query(`LISTEN ${CHANNEL}`)
    // 0 before the first revocation.
    const { rows } = await client.query(
      'SELECT last_value * is_called::integer AS number FROM token_revocations',
    )
    await acknowledge(Number(rows[0].number))
  } catch (error) {
    await endSession(client)
    throw error
  }

  return {
    catchUp: async (timeoutMs) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      onProbe = resolve
      const timer = setTimeout(
        () => reject(new Error('the probe of the revocation channel timed out')),
        timeoutMs,
      )
      try {
        send('SELECT pg_notify($1, $2)', [CHANNEL, probe]).catch(reject)
        await promise
      } finally {
        clearTimeout(timer)
      }
      // The probe and the end of the session may have arrived together.
      if (isLost) throw new Error('the session of the revocation channel has ended')
    },
    close: () => endSession(client),
  }
}

/** A dead connection does not confirm its end, so the wait has a timeout. */
async function endSession(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined)
  await Promise.race([ended, pause(CLOSE_WATCH_TIMEOUT_MS, undefined, { ref: false })])
}

/**
 * Resolves when every server has acknowledged the revocation, or after the timeout. If the database is unavailable, it resolves
 * after the timeout: the revocation is committed, so it must not fail.
 */
export const waitUntilAcknowledged = (db: Connection, number: number, timeoutMs: number): Promise<void> =>
  waitOutUnavailability(timeoutMs, (deadline) => waitUntilNoServerIsBehind(db, number, deadline))

/** The same for all revocations so far. */
export const waitUntilAllAcknowledged = (db: Connection, timeoutMs: number): Promise<void> =>
  waitOutUnavailability(timeoutMs, async (deadline) =>
    waitUntilNoServerIsBehind(db, await findLastRevocation(db), deadline),
  )

async function waitOutUnavailability(
  timeoutMs: number,
  work: (deadline: number) => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  try {
    await work(deadline)
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    await pause(Math.max(0, deadline - performance.now()))
  }
}

/** 0 before the first revocation. */
async function findLastRevocation(db: Connection): Promise<number> {
  const [row] = await db.query<{ number: number }>({
    name: 'find_last_revocation',
    text: `-- find_last_revocation
      SELECT (last_value * is_called::integer)::integer AS number FROM token_revocations`,
    readOnly: true,
  })
  return row?.number ?? 0
}

async function waitUntilNoServerIsBehind(db: Connection, number: number, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    const [row] = await db.query<{ behind: number }>({
      name: 'count_servers_behind',
      text: `-- count_servers_behind
        SELECT count(*)::integer AS behind FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND classid = $1 AND objid::bigint < $2 AND objsubid = 2`,
      values: [REVOCATIONS_RECEIVED, number],
    })
    if (row?.behind === 0) return
    await pause(REVOCATION_POLL_INTERVAL_MS)
  }
}
