import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefixOf } from '../../src/customers/customer-list-store.ts'

const FIRST_BEYOND_ASCII = 0x80
const LAST_WITH_CASE = 0x1ffff
const isSurrogate = (point: number) => point >= 0xd800 && point < 0xe000

test('each letter beyond ASCII matches all letters with the same Unicode case folding, and no others', () => {
  for (let point = FIRST_BEYOND_ASCII; point <= LAST_WITH_CASE; point++) {
    if (isSurrogate(point)) continue
    const letter = String.fromCodePoint(point)
    const { folded, ranges } = prefixOf(letter)
    if (folded === letter && ranges.length === 1) continue
    // With the flags iu, a regular expression compares by Unicode's simple case folding.
    const pattern = new RegExp(`^${letter}$`, 'iu')
    assert.ok(ranges.includes(letter) && ranges.includes(folded), letter)
    for (const variant of ranges) {
      assert.match(variant, pattern)
      assert.equal(prefixOf(variant).folded, folded)
    }
  }
})

test('ASCII folds to ASCII only, and few letters make index ranges', () => {
  assert.deepEqual(prefixOf('ISK Acme\u212a'), {
    folded: 'isk acme\u212a',
    ranges: ['isk acme\u212a'],
    variants: '',
    foldedVariants: '',
  })
  const { folded, ranges } = prefixOf('a-ИНАНОВ')
  assert.equal(folded, 'a-инанов')
  assert.deepEqual(ranges.sort(), ['a-ИНА', 'a-ИНа', 'a-ИнА', 'a-Ина', 'a-иНА', 'a-иНа', 'a-инА', 'a-ина'])
})
