import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Wire } from '../../simulate/fuzz/send.ts'

const REQUEST = { method: 'POST', path: '/', headers: {}, body: null }

test('what a run needs is asked for again where a server has no room for it now', async (t) => {
  const statuses = [503, 429, 201]
  const server = createServer((_, answer) => {
    answer.writeHead(statuses.shift() ?? 500, { 'Retry-After': '0' }).end('made')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const wire = new Wire(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1)
  t.after(() => wire.close())
  const { status, text } = await wire.sendPatiently(REQUEST)
  assert.deepEqual([status, text, statuses], [201, 'made', []])
})
