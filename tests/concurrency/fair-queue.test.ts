import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FairQueue } from '../../src/platform/concurrency/fair-queue.ts'

const always = () => true

test('keys are served round-robin, and the items of each in their order', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item[0] as string, item)
  const order = Array.from({ length: 6 }, () => queue.take(always)?.item)
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  assert.equal(queue.take(always), undefined)
})

test('a key that is not eligible is passed over and keeps its turn', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.push(item[0] as string, item)
  assert.equal(queue.take((key) => key !== 'a')?.item, 'b1')
  assert.equal(queue.take(always)?.item, 'a1')
})

test('nothing is lost, and the items of a key stay in their order, in any sequence of operations', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const operation = fc.oneof(
    fc.record({ do: fc.constant('push' as const), key }),
    fc.record({ do: fc.constant('take' as const), key }),
    fc.record({ do: fc.constant('remove last' as const), key }),
  )
  fc.assert(
    fc.property(fc.array(operation), (operations) => {
      const queue = new FairQueue<number>()
      const model = new Map<string, number[]>([
        ['a', []],
        ['b', []],
        ['c', []],
      ])
      for (const [n, { do: what, key }] of operations.entries()) {
        const items = model.get(key) as number[]
        if (what === 'push') {
          queue.push(key, n)
          items.push(n)
        } else if (what === 'take') {
          assert.equal(queue.take((one) => one === key)?.item, items.shift())
        } else {
          const last = items.pop()
          assert.equal(queue.remove(key, last as number), last !== undefined)
        }
        assert.equal(queue.sizeOf(key), items.length)
      }
      assert.deepEqual(new Set(queue), new Set([...model.values()].flat()))
      assert.equal(queue.size, [...queue].length)
      assert.equal(queue.longest()?.size ?? 0, Math.max(...model.values().map(({ length }) => length)))
    }),
  )
})
