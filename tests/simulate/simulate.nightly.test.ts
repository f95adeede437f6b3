import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runNode } from '../support/serve-process.ts'

const SIMULATE = fileURLToPath(new URL('../../simulate/run.ts', import.meta.url))
/** Faults that are fast. */
const FAST_FAULTS = 'server-killed,backends-terminated'

test('a run with two servers, many clients and faults has no finding', async () => {
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
    FAST_FAULTS,
  ]
  const { status, stdout, stderr } = await runNode([SIMULATE, ...options], {})
  assert.equal(status, 0, `${stderr}\n${stdout}`)
})
