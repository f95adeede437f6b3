import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { startRawServer } from '../support/raw-server.ts'
import { WebhookClient } from '../support/source/webhooks.ts'

const ATTEMPTS = 30
/** The ratio is above 30 if each header creates an error. */
const MAX_RATIO = 15

test('a receiver that sends headers without end costs no more than others', async (t) => {
  const flood = (head: string) => (socket: Socket) => {
    const go = () => {
      while (!socket.destroyed && socket.write('a:\r\n'.repeat(20_000)));
    }
    socket.on('drain', go)
    socket.write(head)
    go()
  }
  const body = await startRawServer(t, flood('HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n'))
  const headers = await startRawServer(t, flood('HTTP/1.1 200 OK\r\n'))
  const client = new WebhookClient({ allowPrivate: true })
  t.after(() => client.stop())
  const costOf = async (url: string, error: string | null) => {
    const before = process.cpuUsage()
    for (let n = 0; n < ATTEMPTS; n++) assert.equal((await client.send(url, {}, '{}'))?.error, error)
    return process.cpuUsage(before).user
  }
  // The servers are in this process: they cost as much in both.
  const usual = await costOf(body.url, null)
  const times = (await costOf(headers.url, 'The headers of the answer have more than 16 KiB.')) / usual
  assert.ok(times < MAX_RATIO, `${times} times as much of the processor`)
})
