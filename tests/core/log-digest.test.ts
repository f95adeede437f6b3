import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as arbitrary from '../support/arbitraries.ts'
import { all } from '../support/contracts.ts'
import { EventLog, hashOfId, logOf, readDigest, writeDigest } from '../support/source/claims.ts'
import { leavesOf } from '../support/source/contracts.ts'

const bytesOf = (digest: string | null) => (digest === null ? null : Buffer.from(digest, 'hex'))

test('a digest says of a log what the log says: its ids, each leaf, and the condition', () => {
  fc.assert(
    fc.property(arbitrary.condition, arbitrary.log, (condition, whole) => {
      const events = whole.slice(0, 8)
      const log = EventLog.of(condition, events)
      const idHashes = events.map(({ id }) => hashOfId(id))
      const digest = readDigest(bytesOf(writeDigest(condition, log, idHashes)), events.length)
      assert.ok(digest)
      assert.deepEqual(digest.idHashes, idHashes)
      const restored = logOf(condition, digest)
      for (const leaf of leavesOf(condition)) assert.equal(restored.isSatisfied(leaf), log.isSatisfied(leaf))
      assert.equal(restored.satisfiesCondition, log.satisfiesCondition)
    }),
    { numRuns: 1_000 },
  )
})

test('each of 500 leaves has a place of its own', () => {
  const condition = all(...Array.from({ length: 500 }, (_, i) => ({ event: `${i}` })))
  for (const i of [0, 1, 7, 8, 9, 255, 256, 498, 499]) {
    const log = EventLog.of(condition, [{ type: `${i}`, payload: {}, system: false }])
    const digest = readDigest(bytesOf(writeDigest(condition, log, [1])), 1)
    assert.ok(digest)
    const restored = logOf(condition, digest)
    assert.deepEqual(
      leavesOf(condition).filter((leaf) => restored.isSatisfied(leaf)),
      [{ event: `${i}` }],
    )
  }
})

test('a digest of another number of events, or of another format, is none', () => {
  const condition = { event: 'a' }
  const bytes = bytesOf(writeDigest(condition, new EventLog(condition), [1, 2])) as Buffer
  assert.ok(readDigest(bytes, 2))
  for (const events of [0, 1, 3, 258]) assert.equal(readDigest(bytes, events), null)
  bytes[0] = 2
  assert.equal(readDigest(bytes, 2), null)
  assert.equal(readDigest(null, 0), null)
  assert.equal(readDigest(Buffer.alloc(0), 0), null)
})

test('a digest of which something is missing, or more than there should be, is none', () => {
  const condition = all(...Array.from({ length: 20 }, (_, i) => ({ event: `${i}` })))
  const bytes = bytesOf(writeDigest(condition, new EventLog(condition), [1, 2])) as Buffer
  assert.ok(readDigest(bytes, 2))
  for (let length = 0; length < bytes.length; length++)
    assert.equal(readDigest(bytes.subarray(0, length), 2), null)
  assert.equal(readDigest(Buffer.concat([bytes, Buffer.alloc(1)]), 2), null)
})

test('a long log has none', () => {
  const condition = { event: 'a' }
  const hashes = Array.from({ length: 9 }, (_, i) => i)
  assert.ok(writeDigest(condition, new EventLog(condition), hashes.slice(1)))
  assert.equal(writeDigest(condition, new EventLog(condition), hashes), null)
  assert.equal(writeDigest(condition, new EventLog(condition), hashes.slice(2), ['a', 'b']), null)
})
