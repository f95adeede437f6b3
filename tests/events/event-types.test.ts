import assert from 'node:assert/strict'
import { test } from 'node:test'
import { any, contractWith } from '../support/contracts.ts'
import { candidatePath, newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'

const service = await sharedService()
const { api } = service
const contract = contractWith({ fulfillment_condition: any({ event: 'done' }, { event: 'dine' }) })

async function listTypes(client = api) {
  const { status, body } = await client.get('/v1/event_types')
  assert.equal(status, 200)
  return body.data as { type: string; count: number; newest_at: string }[]
}

const hintsTo = async (source: object) => {
  const { status, body } = await api.post('/v1/simulations', { contract: source, events: [] })
  assert.equal(status, 200)
  return body.hints as { code: string; path: string; message: string }[]
}

test('the response has the types of the latest events, and a hint for a type in a contract that is not among them', async () => {
  assert.deepEqual([await listTypes(), await hintsTo(contract)], [[], []])
  const customer = await newCustomer(api)
  const claim = (await api.post('/v1/claims', { customer_id: customer.id, contract })).body
  const alias = uniqueName('order')
  const named = { candidate_alias: alias, customer_uuid: customer.external_id, contract }
  await api.post('/v1/candidates', named)
  for (const type of ['first', 'seen', 'seen']) await api.post(`/v1/claims/${claim.id}/events`, { type })
  await api.post(`${candidatePath(alias)}/events`, { type: 'seen' })
  // It moves on, by an event of the service’s own.
  const { event } = (await api.post(`${candidatePath(alias)}/events`, { type: 'done' })).body

  const types = await listTypes()
  assert.deepEqual(
    types.map(({ type, count }) => [type, count]),
    [
      ['seen', 3],
      ['done', 1],
      ['first', 1],
    ],
  )
  assert.equal(types[1]?.newest_at, event.created_at)
  assert.deepEqual(await hintsTo(contract), [
    {
      code: 'event_type_unknown',
      path: 'fulfillment_condition.conditions[1]',
      message: 'None of the account’s latest events is of the type "dine". Perhaps "done" is meant.',
    },
  ])
  assert.deepEqual(await listTypes(await service.newAccount()), [])

  // Only the newest of a long log are looked at.
  const events = Array.from({ length: 30 }, () => ({ claim_id: claim.id, type: 'ping' }))
  await api.post('/v1/events/batch', { events })
  const now = (await listTypes()).map(({ type, count }) => [type, count])
  assert.deepEqual(now, [
    ['ping', 20],
    ['done', 1],
    ['seen', 1],
  ])
})
