import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { holdClaims } from '../../support/held-rows.ts'
import { addLargeSchemas, largeContract } from '../../support/large-records.ts'
import { newClaim, newSchema } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { sharedService } from '../../support/shared.ts'
import { startService } from './disconnecting-clients.ts'

/* A client that disconnects before or during the response is no fault of the service. */

const { databaseUrl } = await sharedService()
const { service, request, disconnect, takeLogMessages } = await startService({ databaseUrl })
const { api } = service

const event = (id: string, value: unknown) => JSON.stringify({ claim_id: id, type: 'note', value })
const heavy = Array.from({ length: 80_000 }, () => [])

for (const { what, path, type, count = 1, body } of [
  {
    what: 'an event, whose answer is large',
    path: '/v1/events',
    body: (id: string) => event(id, 'v'.repeat(250_000)),
  },
  {
    what: 'a batch, whose answer is large',
    path: '/v1/events/batch',
    body: (id: string) => `{"events":[${Array(3).fill(event(id, 'v'.repeat(100_000)))}]}`,
  },
  {
    what: 'a stream of lines, before the first is answered',
    path: '/v1/events/batch',
    type: 'application/x-ndjson',
    body: (id: string) => `${event(id, 'v')}\n`.repeat(3),
  },
  {
    what: 'events of which the last find no room in memory',
    path: '/v1/events',
    count: 8,
    body: (id: string) => event(id, heavy),
  },
]) {
  test(`a client that disconnects after ${what} logs no error`, async (t) => {
    const { id } = await newClaim(api, largeContract())
    const held = await holdClaims(t, databaseUrl, [id])
    const connections = await Promise.all(Array.from({ length: count }, () => connectRaw(t, service.url)))
    for (const connection of connections) connection.write(request('POST', path, body(id), type))
    await held.untilStatementsWait()
    await disconnect(connections)
    await held.release()
    await eventually(async () => (await api.readClaim(id)).events.length > 0)
    assert.deepEqual(await takeLogMessages(), [])
  })
}

test('a client that disconnects in the middle of a stream of lines logs no error', async (t) => {
  const { id } = await newClaim(api)
  const connection = await connectRaw(t, service.url)
  const body = `${event(id, 'v')}\n{"claim_id"`
  connection.write(
    request('POST', '/v1/events/batch', `${body}${' '.repeat(100)}`, 'application/x-ndjson').slice(0, -100),
  )
  await connection.receives(/"status":201/)
  await disconnect([connection])
  assert.deepEqual(await takeLogMessages(), [])
})

test('a client that disconnects in the middle of a list or an export logs no error', async (t) => {
  const schema = await newSchema(api)
  await addLargeSchemas(service.sql, schema.id, 100)
  for (const path of ['/v1/schemas', '/v1/claims/export', '/openapi.json']) {
    const connection = await connectRaw(t, service.url)
    connection.write(request('GET', path))
    await connection.receives(/200 OK/)
    await disconnect([connection])
  }
  assert.deepEqual(await takeLogMessages(), [])
})
