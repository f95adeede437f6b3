import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { HttpClient } from '../../simulate/fuzz/http-client.ts'

const REQUEST = { method: 'POST', path: '/', headers: {}, body: null }

test('a request is retried after 503 and 429', async (t) => {
  const statuses = [503, 429, 201]
  const server = createServer((_, response) => {
    response.writeHead(statuses.shift() ?? 500, { 'Retry-After': '0' }).end('made')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const http = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1)
  t.after(() => http.close())
  const { status, text } = await http.sendWithRetries(REQUEST)
  assert.deepEqual([status, text, statuses], [201, 'made', []])
})
