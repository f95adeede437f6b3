import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { describeUnreached } from '../../simulate/fuzz/response-stats.ts'
import { prepareFuzz } from './prepare-fuzz.ts'

const { document, fuzzWithSeed } = await prepareFuzz({ after })

test('each documented error that a request can cause occurs, and no undocumented response', async () => {
  const stats = await fuzzWithSeed(1, true)
  const unreached = stats.unreached(document).filter(({ reason }) => reason === null)
  assert.deepEqual(describeUnreached(unreached), [])
})

test('responses to random requests match openapi.json', async () => {
  await fuzzWithSeed(2, false)
})
