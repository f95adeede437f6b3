import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { holdCreations } from '../../support/held-rows.ts'
import { heavyContract } from '../../support/large-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { startService } from './disconnecting-clients.ts'

/* A client that disconnects before or during the response is no fault of the service. */

const { service, request, disconnect, takeLogMessages } = await startService()
const { api, databaseUrl } = service

test('a client that disconnects while claims with a large response are created logs no error', async (t) => {
  const customer = await api.customer('leaver')
  const claim = JSON.stringify({ customer_id: customer, contract: heavyContract(20_000) })
  const held = await holdCreations(t, databaseUrl)
  const connection = await connectRaw(t, service.url)
  connection.write(request('POST', '/v1/claims/batch', `{"claims":[${Array(6).fill(claim)}]}`))
  await held.untilStatementsWait()
  await disconnect([connection])
  await held.release()
  await eventually(async () => (await api.get(`/v1/claims?customer_id=${customer}`)).body.data.length === 6)
  assert.deepEqual(await takeLogMessages(), [])
})
