import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { REVOCATIONS } from '../platform/database/advisory-locks.ts'
import type { Connection } from '../platform/database/connection.ts'
import type { Database } from '../platform/database/database.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'

/*
 * Servers hear of tokens that were ended or changed by LISTEN/NOTIFY (migration 0003 sends it). Each revocation
 * has a number. A watching server holds a shared advisory lock on the number of the last one that it has heard
 * of, so whoever ends a token can wait until no server is behind; the lock of a server that is gone goes with it.
 */

const CHANNEL = 'claimkeeper_revocations'
const POLL_MS = 5
const END_PATIENCE_MS = 1_000

export interface RevocationWatch {
  /** Resolves once everything that was told before this call has been heard. Rejects if the watch is broken. */
  catchUp: (timeoutMs: number) => Promise<void>
  close: () => Promise<void>
}

/**
 * Listens on a connection of its own. Nothing that is committed after this resolves is missed, as long as
 * `catchUp` says so.
 * @param onRevoked hears the SHA-256 hash of each token that ends or changes
 */
export async function watchRevocations(
  db: Database,
  onRevoked: (hash: Buffer) => void,
  onLost: () => void,
): Promise<RevocationWatch> {
  const client = await db.openSession()
  const own = randomUUID()
  let heard = () => {}
  let standing: number | null = null
  let last: Promise<unknown> = Promise.resolve()

  client.on('notification', ({ payload = '' }) => {
    if (payload === own) return heard()
    const [number, hash] = payload.split(' ')
    if (hash === undefined) return
    onRevoked(Buffer.from(hash, 'hex'))
    // A watch that cannot say how far it is would hold up whoever ends a token: it begins anew, without its locks.
    standAt(Number(number)).catch(() => endSession(client))
  })
  client.on('end', onLost)

  /** One statement after the other, even if many revocations are told at once: the driver must hold none back. */
  function ask(text: string, values: unknown[]): Promise<unknown> {
    const asked = last.then(() => client.query(text, values))
    last = asked.catch(() => {})
    return asked
  }

  /** Locks first, then gives up the lock before: there is never a moment without one. */
  async function standAt(number: number): Promise<void> {
    const previous = standing
    standing = number
    await ask('SELECT pg_advisory_lock_shared($1, $2)', [REVOCATIONS, number])
    if (previous !== null) await ask('SELECT pg_advisory_unlock_shared($1, $2)', [REVOCATIONS, previous])
  }

  try {
    // What is told here is for this server alone and may get lost with the database.
    await client.query('SET synchronous_commit = off')
    await client.query(`LISTEN ${CHANNEL}`)
    const { rows } = await client.query(
      'SELECT last_value * is_called::integer AS number FROM token_revocations',
    )
    await standAt(Number(rows[0].number))
  } catch (error) {
    await endSession(client)
    throw error
  }

  return {
    catchUp: async (timeoutMs) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      heard = resolve
      const timer = setTimeout(() => reject(new Error('nothing was heard')), timeoutMs)
      try {
        ask('SELECT pg_notify($1, $2)', [CHANNEL, own]).catch(reject)
        await promise
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => endSession(client),
  }
}

/** A connection that is dead does not say so when it is asked to end. */
async function endSession(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined)
  await Promise.race([ended, pause(END_PATIENCE_MS, undefined, { ref: false })])
}

/**
 * Resolves when every watching server has heard of the revocation, at the latest after the timeout. An unavailable database delays
 * it until the timeout: the revocation is committed, so it must not fail.
 */
export const waitUntilHeard = (db: Connection, number: number, timeoutMs: number): Promise<void> =>
  ignoreUnavailableUntilTimeout(timeoutMs, (deadline) => poll(db, number, deadline))

/** The same for all revocations so far. */
export const waitUntilAllHeard = (db: Connection, timeoutMs: number): Promise<void> =>
  ignoreUnavailableUntilTimeout(timeoutMs, async (deadline) =>
    poll(db, await findLastRevocation(db), deadline),
  )

async function ignoreUnavailableUntilTimeout(
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

async function findLastRevocation(db: Connection): Promise<number> {
  const [row] = await db.query<{ number: number }>({
    name: 'find_last_revocation',
    text: `-- find_last_revocation
      SELECT (last_value * is_called::integer)::integer AS number FROM token_revocations`,
    readOnly: true,
  })
  return row?.number ?? 0
}

async function poll(db: Connection, number: number, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    const [row] = await db.query<{ behind: number }>({
      name: 'count_servers_behind',
      text: `-- count_servers_behind
        SELECT count(*)::integer AS behind FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND classid = $1 AND objid::bigint < $2 AND objsubid = 2`,
      values: [REVOCATIONS, number],
    })
    if (row?.behind === 0) return
    await pause(POLL_MS)
  }
}
