import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../simulate/random.ts'
import { Turns } from '../../simulate/strike.ts'

const MINUTE_MS = 60_000
const FAULTS = [
  { name: 'killed' },
  { name: 'cut' },
  { name: 'killed-at-check', atCheck: true },
  { name: 'cut-at-check', atCheck: true },
]

test('each fault has its turn as often as the others, also one that never strikes', () => {
  const turns = new Turns(FAULTS)
  const random = seeded(1)
  const chosen = Array.from({ length: 10 }, () => turns.next(10 * MINUTE_MS + 1_000, random).name)
  assert.equal(chosen.filter((name) => name === 'killed').length, 5)
  assert.equal(chosen.filter((name) => name === 'cut').length, 5)
})

test('those at the check have their turns shortly before it', () => {
  const turns = new Turns(FAULTS)
  const random = seeded(1)
  const chosen = [1, 2].map((minute) => turns.next(minute * MINUTE_MS - 2_000, random).name)
  assert.deepEqual(chosen.sort(), ['cut-at-check', 'killed-at-check'])
})

test('where no other was asked for they wait for it', () => {
  const turns = new Turns(FAULTS.slice(2))
  assert.match(turns.next(MINUTE_MS + 1_000, seeded(1)).name, /-at-check$/)
})
