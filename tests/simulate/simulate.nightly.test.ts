import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runNode } from '../support/serve-process.ts'

const SIMULATE = fileURLToPath(new URL('../../simulate/run.ts', import.meta.url))
/** Those that are done in a moment and undone as fast. */
const CHEAP = 'server-killed,backends-terminated'

test('many clients of two servers find nothing that the model does not explain, while harm is done', async () => {
  const options = [
    '--seconds',
    '10',
    '--servers',
    '2',
    '--clients',
    '8',
    '--patience',
    '60',
    '--faults',
    CHEAP,
  ]
  const { status, stdout, stderr } = await runNode([SIMULATE, ...options], {})
  assert.equal(status, 0, `${stderr}\n${stdout}`)
})
