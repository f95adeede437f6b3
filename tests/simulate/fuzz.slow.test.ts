import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { describeUnreached } from '../../simulate/fuzz/tally.ts'
import { prepareFuzz } from './prepare-fuzz.ts'

const { document, answersToSeed } = await prepareFuzz({ after })

test('every documented error that a request can reach is answered, and what openapi.json does not say is not', async () => {
  const tally = await answersToSeed(1, true)
  const unreached = tally.unreached(document).filter(({ reason }) => reason === null)
  assert.deepEqual(describeUnreached(unreached), [])
})

test('random requests are answered as openapi.json says', async () => {
  await answersToSeed(2, false)
})
