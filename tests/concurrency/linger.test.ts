import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Linger } from '../../src/platform/concurrency/linger.ts'

for (const [tookMs, deadline] of [
  [5, 1_005],
  [50, 1_008],
] as const) {
  test(`after a batch of ${tookMs} ms three in four of the answered and ready keys are waited for, until ${deadline - 1_000} ms later`, () => {
    const linger = new Linger()
    linger.begin(12, 4, tookMs, 1_000)
    assert.equal(linger.deadline(11, 1_000), deadline)
    assert.equal(linger.deadline(12, 1_000), null)
    assert.equal(linger.deadline(11, deadline), null)
  })
}

test('few keys are not worth a linger, and 50 ready keys end it', () => {
  const linger = new Linger()
  linger.begin(1, 6, 5, 1_000)
  assert.equal(linger.deadline(6, 1_000), null)
  linger.begin(400, 0, 5, 1_000)
  assert.equal(linger.deadline(49, 1_000), 1_005)
  assert.equal(linger.deadline(50, 1_000), null)
})

test('another batch that returns does not prolong the linger', () => {
  const linger = new Linger()
  linger.begin(20, 0, 20, 1_000)
  linger.begin(20, 1, 20, 1_007)
  assert.equal(linger.deadline(1, 1_007), 1_008)
  assert.equal(linger.deadline(1, 1_008), null)
})

test('after a linger that gained too few keys the next batches skip theirs: 1, 3, 7, 15, then 31', () => {
  const linger = new Linger()
  const lingered: number[] = []
  for (let batch = 0; batch < 200; batch++) {
    const now = 1_000 * batch
    linger.begin(10, 0, 5, now)
    if (linger.deadline(1, now) === null) continue
    lingered.push(batch)
    linger.end(1)
  }
  const between = lingered.slice(1).map((batch, i) => batch - (lingered[i] as number))
  assert.deepEqual(between, [2, 4, 8, 16, 32, 32, 32, 32, 32])

  // A linger that gained enough keys is followed by another.
  for (let batch = 0; batch < 40; batch++) {
    linger.begin(10, 0, 5, 500_000 + batch)
    linger.end(10)
  }
  linger.begin(10, 0, 5, 600_000)
  assert.equal(linger.deadline(7, 600_000), 600_005)
})

test('a linger that ends while no key is ready has failed', () => {
  const linger = new Linger()
  linger.begin(10, 0, 5, 1_000)
  linger.begin(10, 0, 5, 1_010)
  assert.equal(linger.deadline(1, 1_010), null)
})
