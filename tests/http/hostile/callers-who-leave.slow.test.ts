import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../support/eventually.ts'
import { holdCreations } from '../../support/held-rows.ts'
import { heavyContract } from '../../support/large-records.ts'
import { connectRaw, type RawConnection } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { startTestService } from '../../support/test-service.ts'

/* Whoever leaves before the answer, or in the middle of it, is no fault of the service. */

const lines: { msg: string }[] = []
const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) })
const service = await startTestService({ after }, { log })
const { api, databaseUrl } = service

const request = (method: string, path: string, body = '', type = 'application/json') =>
  head(method, path, {
    Authorization: `Bearer ${api.token}`,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  }) + body

async function leave(connections: readonly RawConnection[]): Promise<void> {
  const before = await service.openConnections()
  for (const { socket } of connections) socket.resetAndDestroy()
  await eventually(async () => (await service.openConnections()) <= before - connections.length)
}

/** What is on its way to the log is there. */
async function logged(): Promise<string[]> {
  for (let n = 0; n < 20; n++) await api.get('/healthz')
  return lines.splice(0).map(({ msg }) => msg)
}

test('who leaves while claims are created, whose answer is large, is not in the log', async (t) => {
  const customer = await api.customer('leaver')
  const claim = JSON.stringify({ customer_id: customer, contract: heavyContract(20_000) })
  const held = await holdCreations(t, databaseUrl)
  const connection = await connectRaw(t, service.url)
  connection.write(request('POST', '/v1/claims/batch', `{"claims":[${Array(6).fill(claim)}]}`))
  await held.keepWaiting()
  await leave([connection])
  await held.letGo()
  await eventually(async () => (await api.get(`/v1/claims?customer_id=${customer}`)).body.data.length === 6)
  assert.deepEqual(await logged(), [])
})
