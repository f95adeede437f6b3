import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectRaw } from '../support/raw-connection.ts'
import { head } from '../support/raw-http.ts'
import { residentBytes } from '../support/resident-memory.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

/* Public documents need no token, so unread responses must not use memory. */

const MIB = 1024 * 1024

describe('documents that clients do not read', () => {
  test('are requested on many connections, and the server keeps its memory bounded and answers others', async (t) => {
    const { url, child } = await startServeProcess(t, { DATABASE_URL: await createTestDatabase(t) })
    for (const path of ['/openapi.json', '/docs/js/scalar.js', '/docs/errors/TOKEN_INVALID']) {
      await (await fetch(url + path)).arrayBuffer()
    }
    const before = await residentBytes(child)
    const paths = [
      '/openapi.json',
      '/docs/js/scalar.js',
      '/docs/',
      '/docs/errors/TOKEN_INVALID',
      '/docs/specification',
    ]
    for (let n = 0; n < 200; n++) {
      const unread = await connectRaw(t, url, { reads: false })
      unread.write(paths.flatMap((path) => Array(5).fill(head('GET', path, {}))).join(''))
    }
    // 2,900 pipelined requests: more than may be queued.
    const greedy = await connectRaw(t, url, { reads: false })
    greedy.write(head('GET', '/openapi.json', {}).repeat(2_900))
    for (let n = 0; n < 50; n++) assert.equal((await fetch(`${url}/healthz`)).status, 200)
    const grown = (await residentBytes(child)) - before
    assert.ok(grown < 150 * MIB, `${Math.round(grown / MIB)} MiB more`)
  })
})
