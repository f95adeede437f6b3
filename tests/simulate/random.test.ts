import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../simulate/random.ts'

const draws = (random: ReturnType<typeof seeded>) => Array.from({ length: 20 }, () => random.int(0, 1e15))

test('a seed always gives the same draws, and another seed gives others', () => {
  assert.deepEqual(draws(seeded(1)), draws(seeded(1)))
  assert.notDeepEqual(draws(seeded(1)), draws(seeded(2)))
})

test('a fork depends only on the seed and the names, not on earlier draws', () => {
  const [fresh, used] = [seeded(7), seeded(7)]
  draws(used)
  assert.deepEqual(draws(fresh.fork('clients').fork('1')), draws(used.fork('clients').fork('1')))
  assert.notDeepEqual(draws(fresh.fork('1')), draws(fresh.fork('2')))
})

test('integers are uniform between both bounds, and chance has its probability', () => {
  const random = seeded(3)
  const counts = new Map<number, number>()
  for (let i = 0; i < 30_000; i++) {
    const drawn = random.int(-1, 1)
    counts.set(drawn, (counts.get(drawn) ?? 0) + 1)
  }
  assert.deepEqual([...counts.keys()].sort(), [-1, 0, 1].sort())
  for (const count of counts.values()) assert.ok(Math.abs(count - 10_000) < 500, `${count}`)
  const hits = Array.from({ length: 30_000 }, () => random.chance(0.2)).filter(Boolean).length
  assert.ok(Math.abs(hits - 6_000) < 500, `${hits}`)
  assert.throws(() => random.pick([]))
})
