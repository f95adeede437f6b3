import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { clientOf } from '../support/client-of.ts'
import { contractWith } from '../support/contracts.ts'
import { madeDataFolder, newDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { candidatePath, uniqueName } from '../support/new-records.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

const AT_ONCE = 6

interface Acknowledged {
  alias: string
  id: string
  events: string[]
  at: number
}

test('a backup under load has everything acknowledged before its start, and the restored service continues from there', async (t) => {
  const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
  const settings = { CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE: 'true' }
  const server = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR, ...settings })
  const api = await clientOf(server)
  const customer = await api.customer('customer')
  const receiver = await startWebhookReceiver(t)
  const endpoint = (await api.post('/v1/webhook_endpoints', { url: `${receiver.url}/hook` })).body
  const clock = (await api.post('/v1/test_clocks', { frozen_time: '2030-01-01T00:00:00.000Z' })).body
  const contract = contractWith({ fulfillment_condition: { event: 'done' } })

  // Creations, submissions and an advance, acknowledged one after the other by several callers.
  const acknowledged: Acknowledged[] = []
  let goesOn = true
  const work = async () => {
    while (goesOn) {
      const alias = uniqueName('order')
      const one = { id: (await api.claim(customer, contract)).id, alias, events: [] as string[], at: 0 }
      await api.post('/v1/candidates', { candidate_alias: alias, customer_uuid: 'customer', contract })
      for (const type of ['seen', 'done']) {
        const { status } = await api.post('/v1/events', {
          claim_id: one.id,
          id: type,
          type,
          value: 'tab\t, line\n, \\.',
        })
        assert.equal(status, 201)
        one.events.push(type)
      }
      acknowledged.push({ ...one, at: Date.now() })
    }
  }
  const working = Promise.all(Array.from({ length: AT_ONCE }, work))
  await eventually(async () => acknowledged.length > 60 && receiver.received.length > 10)
  await api.post('/v1/claims', { customer_id: customer, contract, test_clock_id: clock.id })
  await api.post(`/v1/test_clocks/${clock.id}/advance`, { frozen_time: '2030-01-02T00:00:00.000Z' })

  const file = join(dirname(CLAIMKEEPER_DATA_DIR), 'load.backup')
  const beforeIt = acknowledged.slice()
  const count = acknowledged.length
  const backup = await runCli(['backup', file], { CLAIMKEEPER_DATA_DIR })
  assert.equal(backup.status, 0, backup.stderr)
  assert.match(
    backup.stderr,
    /It contains everything that was acknowledged before 20\S+Z:\n +claims and candidates +\d/,
  )
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  await eventually(async () => acknowledged.length > count + 20)
  const { next_cursor: afterBackup } = (await api.get('/v1/notifications?order=desc&limit=1')).body
  goesOn = false
  await working
  const claimsBefore = await Promise.all(beforeIt.map(({ id }) => api.readClaim(id)))
  await server.end('SIGTERM')

  const restoredFolder = await newDataFolder(t)
  const restore = await runCli(['restore', file], { CLAIMKEEPER_DATA_DIR: restoredFolder })
  assert.equal(restore.status, 0, restore.stderr)
  const again = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR: restoredFolder, ...settings })
  const restored = await clientOf({ url: again.url, token: server.token })

  for (const [i, { id, alias, events }] of beforeIt.entries()) {
    const claim = await restored.readClaim(id)
    assert.deepEqual(claim.events.slice(0, 2), claimsBefore[i].events.slice(0, 2))
    assert.deepEqual([claim.contract, claim.events[1].id, events.length], [contract, 'done', 2])
    assert.equal((await restored.get(candidatePath(alias))).body.candidate_alias, alias)
  }
  assert.equal(
    (await restored.get(`/v1/test_clocks/${clock.id}`)).body.frozen_time,
    '2030-01-02T00:00:00.000Z',
  )
  const taken = await restored.post('/v1/candidates', {
    candidate_alias: beforeIt[0]?.alias,
    customer_uuid: 'customer',
    contract,
  })
  assert.equal(taken.status, 409)

  // What is new comes behind: in lists, in the feed also for a reader that had continued after the backup, and in the chain.
  const fresh = await restored.claim(customer, contract)
  assert.equal((await restored.get('/v1/claims?order=desc&limit=1')).body.data[0].id, fresh.id)
  const later = (await restored.get(`/v1/notifications?after=${afterBackup}`)).body.data
  assert.ok(later.some((one: { data: { id?: string } }) => JSON.stringify(one).includes(fresh.id)))
  const deliveries = `/v1/webhook_deliveries?claim_id=${fresh.id}`
  const delivered = await eventually(async () => (await restored.get(deliveries)).body.data[0])
  assert.equal(delivered.endpoint_id, endpoint.id)
  await again.end('SIGTERM')
  const settled = await runCli(['doctor', '--all', '--json'], {
    CLAIMKEEPER_DATA_DIR: restoredFolder,
    ...settings,
  })
  assert.equal(settled.status, 0, settled.stdout)
})
