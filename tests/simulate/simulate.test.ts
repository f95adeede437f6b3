import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runNode } from '../support/serve-process.ts'

const SIMULATE = fileURLToPath(new URL('../../simulate/run.ts', import.meta.url))

test('many clients find nothing that the model does not explain, while servers are killed', async () => {
  const { status, stdout, stderr } = await runNode(
    [SIMULATE, '--source', '--seconds', '30', '--servers', '2', '--clients', '8'],
    {},
  )
  assert.equal(status, 0, `${stderr}\n${stdout}`)
})
