import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { prepareFuzz } from './prepare-fuzz.ts'

const { answersToSeed } = await prepareFuzz({ after })

const seed = randomInt(2 ** 31)
test(`requests from a random seed (${seed}) are answered as openapi.json says`, async () => {
  await answersToSeed(seed, false)
})
