import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FaultScheduler } from '../../simulate/inject-faults.ts'
import { seeded } from '../../simulate/random.ts'

const MINUTE_MS = 60_000
const FAULTS = [
  { name: 'killed' },
  { name: 'cut' },
  { name: 'killed-at-check', atCheck: true },
  { name: 'cut-at-check', atCheck: true },
]

test('each fault is chosen equally often, also one that cannot be injected', () => {
  const scheduler = new FaultScheduler(FAULTS)
  const random = seeded(1)
  const chosen = Array.from({ length: 10 }, () => scheduler.next(10 * MINUTE_MS + 1_000, random).name)
  assert.equal(chosen.filter((name) => name === 'killed').length, 5)
  assert.equal(chosen.filter((name) => name === 'cut').length, 5)
})

test('faults at checks are chosen shortly before a check', () => {
  const scheduler = new FaultScheduler(FAULTS)
  const random = seeded(1)
  const chosen = [1, 2].map((minute) => scheduler.next(minute * MINUTE_MS - 2_000, random).name)
  assert.deepEqual(chosen.sort(), ['cut-at-check', 'killed-at-check'])
})

test('faults at checks are chosen at any time if there are no others', () => {
  const scheduler = new FaultScheduler(FAULTS.slice(2))
  assert.match(scheduler.next(MINUTE_MS + 1_000, seeded(1)).name, /-at-check$/)
})
