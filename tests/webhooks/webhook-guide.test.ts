import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Conformance } from '../support/conformance.ts'
import { newClaim } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { deliveryBody, deliveryHeaders } from '../support/source/webhooks.ts'
import { guideBlock, guideSecret } from './guide-blocks.ts'
import {
  believesTheGoodOnly,
  findsWhatIsMissingOrChanged,
  good,
  REFUSED,
  SECRET,
  signed,
} from './guide-cases.ts'
import { type Arrival, typescriptModules, typescriptPrograms } from './guide-programs.ts'

const modules = await typescriptModules({ after })

test('the guide’s program verifies deliveries, and rejects changed, old and foreign ones', () =>
  believesTheGoodOnly(typescriptPrograms(modules)))

test('the guide’s program finds missing and changed deliveries in any order of arrival', () =>
  findsWhatIsMissingOrChanged(typescriptPrograms(modules)))

test('the guide’s receiver acknowledges stored deliveries only, not unsigned or unstored ones', async (t) => {
  const stored: string[] = []
  const full = signed([SECRET])
  const server = modules.receiver(SECRET, async (body) => {
    if (body === full.body) throw new Error('no room')
    stored.push(body)
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const send = async ({ headers, body }: Arrival) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/claimkeeper`
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  assert.equal(await send(good), 204)
  assert.equal(await send(REFUSED['a changed byte'] as Arrival), 400)
  assert.equal(await send(REFUSED['no signature'] as Arrival), 400)
  assert.equal(await send(full), 500)
  assert.deepEqual(stored, [good.body])
})

test('the guide shows a delivery as it is sent', async () => {
  const { delivery, ...notification } = JSON.parse(guideBlock('json'))
  const { api } = await sharedService()
  await newClaim(api)
  const { body: feed } = await api.get('/v1/notifications')
  assert.deepEqual(Object.keys(notification), Object.keys(feed.data[0]))
  assert.deepEqual(Object.keys(notification.claim), Object.keys(feed.data[0].claim))
  const openapi = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')
  const page = { data: [notification], next_cursor: 'AAAAAAAAAAAAAAAAAAAAAA', has_more: false }
  new Conformance(JSON.parse(openapi)).check('get', '/v1/notifications', 200, page)

  const link = { number: delivery.number, previousHash: delivery.previous_hash }
  const body = deliveryBody(JSON.stringify(notification), link)
  const shown = new Headers(
    guideBlock('http')
      .trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string]),
  )
  const at = new Date(Number(shown.get('Webhook-Timestamp')) * 1_000)
  const sent = deliveryHeaders({ id: notification.id, ...link, body }, [guideSecret], at)
  for (const [name, value] of shown) assert.equal(value, new Headers(sent).get(name), name)
})
