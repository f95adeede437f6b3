import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalMetadata, changeMetadata, MAX_METADATA_KEYS } from '../support/source/claims.ts'

const many = <Value>(count: number, value: Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, value]))

test('a change sets the keys that it names, takes away those that it says are null, and leaves the others', () => {
  assert.deepEqual(changeMetadata({ a: '1', b: '2', c: '3' }, { b: 'two', c: null, d: '4' }), {
    a: '1',
    b: 'two',
    d: '4',
  })
  assert.deepEqual(changeMetadata({ a: '1' }, {}), { a: '1' })
  assert.deepEqual(changeMetadata({ a: '1' }, null), {})
  assert.deepEqual(changeMetadata({}, { a: null }), {})
  assert.deepEqual(changeMetadata({ a: '1' }, { a: '' }), { a: '' })
})

test('there are 50 keys at most, counted once those that are taken away are gone', () => {
  const full = many(MAX_METADATA_KEYS, 'x')
  assert.deepEqual(changeMetadata({}, full), full)
  assert.equal(changeMetadata(full, { another: 'x' }), null)
  assert.equal(Object.keys(changeMetadata(full, { another: 'x', 'key-0': null }) ?? {}).length, 50)
  assert.deepEqual(changeMetadata(full, { ...many(50, null), only: 'x' }), { only: 'x' })
})

test('metadata is the same in whatever order its keys stand', () => {
  assert.equal(canonicalMetadata({ a: '1', b: '2' }), canonicalMetadata({ b: '2', a: '1' }))
  assert.notEqual(canonicalMetadata({ a: '1' }), canonicalMetadata({ a: '2' }))
  assert.notEqual(canonicalMetadata({ a: '","b' }), canonicalMetadata({ a: '', b: '' }))
})
