import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { WebhookClient } from '../../support/source/webhooks.ts'

const ATTEMPTS = 30
const MOST_CPU_MS = 1_000

test('a receiver that sends headers without end costs no more than others', async (t) => {
  const server = createServer((socket) => {
    const go = () => {
      while (!socket.destroyed && socket.write('a:\r\n'.repeat(20_000)));
    }
    socket.on('error', () => {}).on('drain', go)
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n')
      go()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const client = new WebhookClient({ allowPrivate: true })
  t.after(() => client.stop())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const before = process.cpuUsage()
  for (let n = 0; n < ATTEMPTS; n++) {
    const answer = await client.send(url, {}, '{}')
    assert.equal(answer?.error, 'The answer has too many headers.')
  }
  const { user } = process.cpuUsage(before)
  assert.ok(user / 1_000 < MOST_CPU_MS, `${ATTEMPTS} attempts took ${user / 1_000} ms of the processor`)
})
