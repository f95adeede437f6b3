import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf } from '../support/client-of.ts'
import { contractWith } from '../support/contracts.ts'
import { databaseProcess, embeddedUrl, madeDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { readPages, readStream } from '../support/feed-readers.ts'
import { uniqueName } from '../support/new-records.ts'
import { type ServeProcess, startServeProcess } from '../support/serve-process.ts'

/*
 * Two servers are killed twice each and the database once, while claims come and go. Each reader of the notifications,
 * in pages, by waiting or on a stream, from the beginning or later, gets all of them in one order, and they match the logs.
 */

const CLAIMS = 1_200
const AT_ONCE = 16

test('servers and the database are killed under readers of notifications: all have the same, and it is what the logs tell', async (t) => {
  const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
  // It has the embedded database; the others are its guests.
  const host = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
  const DATABASE_URL = await embeddedUrl(CLAIMKEEPER_DATA_DIR)
  const start = () => startServeProcess(t, { DATABASE_URL })
  const servers: ServeProcess[] = [await start(), await start()]
  const urls = () => servers.map(({ url }) => url)
  const api = await clientOf(host)
  const customer = await api.customer(uniqueName('feed'))

  /** Sends it to one server after the other until it is answered. Events are sent again with their id. */
  const send = (path: string, body: object) =>
    eventually(
      async () => {
        const url = urls()[Math.floor(Math.random() * 2)]
        const response = await fetch(url + path, {
          method: 'POST',
          headers: { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(5_000),
        }).catch(() => null)
        return response !== null && response.status < 500 && response.status
      },
      { seconds: 60 },
    )
  let created = 0
  const work = async (worker: number) => {
    for (let n = worker; n < CLAIMS; n += AT_ONCE) {
      const alias = uniqueName('followed')
      const contract = contractWith({ fulfillment_condition: { event: 'done' } })
      await send('/v1/candidates', { candidate_alias: alias, customer_uuid: customerName, contract })
      if (n % 3 > 0) await send('/v1/events', { candidate_alias: alias, id: 'first', type: 'seen' })
      if (n % 3 > 1) await send('/v1/events', { candidate_alias: alias, id: 'last', type: 'done' })
      created++
    }
  }
  const customerName = (await api.get(`/v1/customers/${customer}`)).body.external_id
  const feed = { urls, token: api.token }
  const working = Promise.all(Array.from({ length: AT_ONCE }, (_, i) => work(i)))
  const replace = async (place: number) => {
    await servers[place]?.end('SIGKILL')
    servers[place] = await start()
  }
  const pages = readPages(feed, 0)
  await eventually(async () => created > CLAIMS / 10)
  await replace(0)
  const waiting = readPages(feed, 5)
  await eventually(async () => created > CLAIMS / 4)
  await replace(1)
  const stopped = await databaseProcess(CLAIMKEEPER_DATA_DIR)
  process.kill(stopped, 'SIGQUIT')
  await eventually(async () => (await databaseProcess(CLAIMKEEPER_DATA_DIR).catch(() => stopped)) !== stopped)
  const stream = readStream(feed, () => pages.had.length)
  await eventually(async () => created > CLAIMS / 2, { seconds: 60 })
  await replace(0)
  await replace(1)
  await working

  const all = await pages.stop()
  assert.deepEqual(await waiting.stop(), all)
  assert.deepEqual(await stream.stop(), all)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  const byAddress = Map.groupBy(all, ({ address }) => address)
  let claims = 0
  for (let after = ''; ; ) {
    const { body } = await api.get(`/v1/candidates?limit=100${after && `&after=${after}`}`)
    for (const { candidate_alias, status } of body.data) {
      claims++
      const delivered = byAddress.get(candidate_alias) ?? []
      assert.deepEqual(
        delivered.map(({ type }) => type),
        status === 'OPEN' ? ['candidate.created'] : ['candidate.created', 'candidate.pending'],
      )
    }
    if (body.next_cursor === null) break
    after = body.next_cursor
  }
  assert.equal(claims, CLAIMS)
  assert.equal(byAddress.size, CLAIMS)
})
