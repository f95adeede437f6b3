import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf } from '../support/client-of.ts'
import { newClaim } from '../support/new-records.ts'
import { connectRaw } from '../support/raw-connection.ts'
import { head } from '../support/raw-http.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

/** Fewer than the system lets wait for a server that does not accept them. */
const DEAD = 100

test('connections that were reset before they were accepted are not read: later connections do not wait for them', {
  skip: process.platform !== 'linux' && 'elsewhere the system itself forgets what they sent',
}, async (t) => {
  const served = await startServeProcess(t, { DATABASE_URL: await createTestDatabase(t) })
  const api = await clientOf(served)
  const { id } = await newClaim(api)
  const submission = (type: string) => {
    const body = JSON.stringify({ claim_id: id, type })
    const headers = {
      Authorization: `Bearer ${served.token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    }
    return head('POST', '/v1/events', headers) + body
  }

  served.child.kill('SIGSTOP')
  for (let n = 0; n < DEAD; n++) {
    const { socket } = await connectRaw(t, served.url)
    await new Promise((sent) => socket.write(submission('dead'), sent))
    socket.resetAndDestroy()
  }
  const alive = await connectRaw(t, served.url)
  alive.write(submission('alive'))
  served.child.kill('SIGCONT')

  await alive.receives(/^HTTP\/1\.1 201/)
  const { events } = await api.readClaim(id)
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    ['alive'],
  )
})
