import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginningOf } from '../../src/storage/customer-search.ts'

const FIRST_BEYOND_ASCII = 0x80
const LAST_WITH_CASE = 0x1ffff
const isSurrogate = (point: number) => point >= 0xd800 && point < 0xe000

test('each letter beyond ASCII is found in each form that Unicode folds to the same, and in no other', () => {
  for (let point = FIRST_BEYOND_ASCII; point <= LAST_WITH_CASE; point++) {
    if (isSurrogate(point)) continue
    const letter = String.fromCodePoint(point)
    const { folded, ranges } = beginningOf(letter)
    // Of regular expressions the flag i folds as Unicode says (simple case folding).
    if (folded === letter && ranges.length === 1) continue
    const pattern = new RegExp(`^${letter}$`, 'iu')
    assert.ok(ranges.includes(letter) && ranges.includes(folded), letter)
    for (const form of ranges) {
      assert.match(form, pattern)
      assert.equal(beginningOf(form).folded, folded)
    }
  }
})

test('ASCII is folded by itself, and letters with forms make few ranges', () => {
  assert.deepEqual(beginningOf('ISK Acme\u212a'), {
    folded: 'isk acme\u212a',
    ranges: ['isk acme\u212a'],
    forms: '',
    foldedForms: '',
  })
  const { folded, ranges } = beginningOf('a-ИНАНОВ')
  assert.equal(folded, 'a-инанов')
  assert.deepEqual(ranges.sort(), ['a-ИНА', 'a-ИНа', 'a-ИнА', 'a-Ина', 'a-иНА', 'a-иНа', 'a-инА', 'a-ина'])
})
