import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { clientOf } from '../support/client-of.ts'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { withTriggers } from '../support/database-nodes.ts'
import { startEventLoad } from '../support/event-load.ts'
import { eventually } from '../support/eventually.ts'
import { movedBy, TIMES_OF_CLAIM } from '../support/moved-times.ts'
import type { ServeProcess } from '../support/serve-process.ts'

/*
 * A check of thousands of claims is broken off in its middle, while others submit: nothing acknowledged is lost or
 * doubled, the server goes on, and the next check does the rest.
 */

const DUE = 3_000
/** The first check comes some seconds after the start: when all is prepared. */
export const SOON = {
  NODE_OPTIONS: `--import ${new URL('../support/minute-soon.ts', import.meta.url).href}`,
  UNTIL_FIRST_CHECK_MS: '15000',
}
/** Once there is nothing to prepare. */
export const SOONER = { ...SOON, UNTIL_FIRST_CHECK_MS: '8000' }

/** Makes claims that the next check moves, and begins to submit to others. */
export async function prepareCheck(t: TestContext, served: ServeProcess, address: string) {
  const clientAt = (url: string) => clientOf({ url, token: served.token })
  const api = await clientAt(served.url)
  const contract = contractWith({ review_window: 86_400 })
  const { id } = await api.claim(await api.customer('due'), contract)
  for (const step of SLOW_CHECK) await queryOn(address, step)
  await queryOn(address, COPY_CLAIM, [id, DUE - 1])
  await queryOn(address, MAKE_DUE)
  const load = await startEventLoad(api, [served.url], 12, { isLight: true })
  const stopLoad = once(() => load.stop())
  t.after(stopLoad)

  return {
    /** Some have moved, and others not. Returns the process of a connection that moves them. */
    isHalfDone: async (): Promise<number> => {
      const [row] = await connected(address, (client) =>
        eventually(
          async () => {
            const { rows } = await client.query(MOVING)
            return rows.length > 0 && rows
          },
          { seconds: 90 },
        ),
      )
      assert.ok(Number(row?.moved) < DUE, 'it was not over')
      return Number(row?.pid)
    },
    /** Each has moved once, and each event that was acknowledged is there once. */
    isFinishedBy: async (server: ServeProcess, at = address) => {
      load.setServers([server.url])
      await load.acknowledges(20)
      await connected(at, (client) =>
        eventually(async () => (await client.query(MOVED)).rows[0].claims >= DUE, { seconds: 120 }),
      )
      await stopLoad()
      await load.verify(await clientAt(server.url))
      assert.deepEqual(await queryOn(at, MOVED), [{ events: DUE, claims: DUE }])
      assert.equal(server.child.exitCode, null)
    },
  }
}

/** A batch takes a second or more, so that something can happen in the middle. */
const SLOW_CHECK = [
  `CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN PERFORM pg_sleep(0.001); RETURN NEW; END $$`,
  `CREATE TRIGGER take_time BEFORE INSERT ON claim_events FOR EACH ROW WHEN (NEW.system) EXECUTE FUNCTION take_time()`,
]
const MAKE_DUE = `UPDATE claims SET ${movedBy('-2 hours', TIMES_OF_CLAIM)}`
const MOVED = `SELECT count(*)::int AS events, count(DISTINCT claim_id)::int AS claims FROM claim_events
  WHERE type = 'activity_window_elapsed'`
/** Once the first batch has moved, and while another is on its way. */
const MOVING = `SELECT a.pid, m.claims AS moved FROM pg_stat_activity a, (${MOVED}) m
  WHERE a.datname = current_database() AND a.application_name = 'claimkeeper' AND a.state = 'active'
    AND a.query ~ '^-- move_kinds' AND m.claims BETWEEN 1 AND ${DUE - 1}`

function once<T>(work: () => Promise<T>): () => Promise<void> {
  let done: Promise<T> | undefined
  return async () => {
    done ??= work()
    await done
  }
}

const queryOn = (url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  connected(url, async (client) => (await client.query(text, values)).rows)

/** On one connection, since making one takes more than what is asked on it. */
async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: withTriggers(url) })
  // The database may be killed under it.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
