import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { prepareFuzz } from './prepare-fuzz.ts'

const { fuzzWithSeed } = await prepareFuzz({ after })

const seed = randomInt(2 ** 31)
test(`responses to requests from a random seed (${seed}) match openapi.json`, async () => {
  await fuzzWithSeed(seed, false)
})
