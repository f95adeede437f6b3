import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { describe, test } from 'node:test'
import { lookingUp } from '../support/name-server.ts'

/* Webhooks go where others want them to: never to this machine or a network inside, however that is written. */

describe('a name', () => {
  test('a name without a DNS answer delays neither other names nor the look-ups of the machine', async (t) => {
    const { server, lookUp } = await lookingUp(t, (name) =>
      name.startsWith('silent') ? undefined : ['8.8.8.8'],
    )
    // More than there are threads, and no more questions than a socket holds while this process is busy.
    const silent = Array.from({ length: 50 }, (_, i) => lookUp(`silent-${i}.test`))
    const first = await Promise.race([...silent, lookUp('loud.test'), lookup('localhost')])
    assert.ok(!('error' in first && first.error), 'the silent ones do not come first')
    assert.equal((await lookUp('another.test')).error, null)
    assert.ok(server.queries.length > 50)
    for (const { error } of await Promise.all(silent))
      assert.equal((error as NodeJS.ErrnoException).code, 'EAI_AGAIN')
  })
})
