import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  countOf,
  hashesOf,
  type IdHashes,
  isHashIn,
  numbersOf,
  textOf,
} from '../../src/app/submission/copies/id-hashes.ts'
import { hashOfId } from '../../src/domain/claims/log-digest.ts'

const idsOf = (count: number) => Array.from({ length: count }, () => randomUUID())

test('hashes are the same numbers again, with their signs', () => {
  const edges = [0, 1, -1, 0xffff, 0x10000, -0x10000, 0x7fffffff, -0x80000000, 0xd800, 0xdfff]
  const numbers = [...edges, ...idsOf(1_000).map(hashOfId)]
  assert.deepEqual(numbersOf(textOf(numbers)), numbers)
  assert.equal(countOf(textOf(numbers)), numbers.length)
  assert.deepEqual(numbersOf(''), [])
})

test('each id is found as soon as it was added, and those of others are not', () => {
  const [added, others] = [idsOf(2_000), idsOf(2_000)]
  const known = new Set(added.map(hashOfId))
  let hashes: IdHashes = ''
  for (const id of added) {
    hashes += hashesOf([id])
    assert.ok(isHashIn(hashes, id))
  }
  for (const id of [...added, ...others]) assert.equal(isHashIn(hashes, id), known.has(hashOfId(id)))
  assert.deepEqual(numbersOf(hashes), added.map(hashOfId))
})

test('half of one hash and half of the next are none', () => {
  const id = randomUUID()
  const hash = hashesOf([id])
  const across = `x${hash}y`
  assert.equal(isHashIn(across, id), false)
  assert.equal(isHashIn(across.repeat(3), id), false)
  assert.equal(isHashIn(across + hash, id), true)
})
