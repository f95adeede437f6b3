import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  differenceInWords,
  differenceOf,
  Lookalikes,
  plainSpelling,
  typeNotes,
} from '../support/source/contracts.ts'

/** A text, the one that it is taken for, and how the two differ. */
const SPELLINGS: [text: string, other: string, by: string, inWords: string][] = [
  ['done ', 'done', 'hidden', 'U+0020 SPACE at position 5'],
  ['  done\t', 'done', 'hidden', 'U+0020 SPACE U+0020 SPACE at position 1, U+0009 TAB at position 7'],
  ['done\r\n', 'done', 'hidden', 'U+000D CARRIAGE RETURN U+000A LINE FEED at position 5'],
  ['done', 'done ', 'hidden', 'no U+0020 SPACE at position 5'],
  ['a\u00a0b', 'a b', 'hidden', 'U+00A0 NO-BREAK SPACE in place of U+0020 SPACE at position 2'],
  ['a  b', 'a b', 'hidden', 'U+0020 SPACE at position 3'],
  ['done\u3000', 'done', 'hidden', 'U+3000 IDEOGRAPHIC SPACE at position 5'],
  ['done\u2009', 'done', 'hidden', 'U+2009 (white space) at position 5'],
  ['done\u2800', 'done', 'hidden', 'U+2800 BRAILLE PATTERN BLANK at position 5'],
  ['\u200bdone', 'done', 'hidden', 'U+200B ZERO WIDTH SPACE at position 1'],
  ['\ufeffdone', 'done', 'hidden', 'U+FEFF ZERO WIDTH NO-BREAK SPACE (byte order mark) at position 1'],
  ['do\u200dne', 'done', 'hidden', 'U+200D ZERO WIDTH JOINER at position 3'],
  ['do\u00adne', 'done', 'hidden', 'U+00AD SOFT HYPHEN at position 3'],
  ['do\u202ene', 'done', 'hidden', 'U+202E (invisible) at position 3'],
  ['do\u{e0041}ne', 'done', 'hidden', 'U+E0041 (invisible) at position 3'],
  ['😀\u200b', '😀', 'hidden', 'U+200B ZERO WIDTH SPACE at position 2'],
  ['do\u0007ne', 'done', 'hidden', 'U+0007 (control) at position 3'],
  ['do\u009fne', 'done', 'hidden', 'U+009F (control) at position 3'],
  [
    'cafe\u0301',
    'caf\u00e9',
    'hidden',
    'U+0065 “e” U+0301 (combining mark) in place of U+00E9 “\u00e9” at position 4',
  ],
  [
    'caf\u00e9',
    'cafe\u0301',
    'hidden',
    'U+00E9 “\u00e9” in place of U+0065 “e” U+0301 (combining mark) at position 4',
  ],
  [
    '\u1112\u1161\u11ab',
    '\ud55c',
    'hidden',
    'U+1112 “\u1112” U+1161 “\u1161” U+11AB “\u11ab” in place of U+D55C “\ud55c” at position 1',
  ],
  ['\u212b', '\u00c5', 'hidden', 'U+212B “\u212b” in place of U+00C5 “\u00c5” at position 1'],
  ['ｄone', 'done', 'form', 'U+FF44 “ｄ” in place of U+0064 “d” at position 1'],
  ['ﬁled', 'filed', 'form', 'U+FB01 “ﬁ” in place of U+0066 “f” U+0069 “i” at position 1'],
  ['pаid', 'paid', 'form', 'U+0430 “а” in place of U+0061 “a” at position 2'],
  ['ΤΕST', 'TEST', 'form', 'U+03A4 “Τ” U+0395 “Ε” in place of U+0054 “T” U+0045 “E” at position 1'],
  [
    'ВАСЯ',
    'вася',
    'case',
    'U+0412 “В” U+0410 “А” U+0421 “С” … in place of U+0432 “в” U+0430 “а” U+0441 “с” … at position 1',
  ],
  ['fınished', 'finished', 'form', 'U+0131 “ı” in place of U+0069 “i” at position 2'],
  [
    'a–b’s',
    "a-b's",
    'form',
    "U+2013 “–” in place of U+002D “-” at position 2, U+2019 “’” in place of U+0027 “'” at position 4",
  ],
  ['Done ', 'done', 'case', 'U+0044 “D” in place of U+0064 “d” at position 1, U+0020 SPACE at position 5'],
  [
    ' d o n e ',
    'd o n\u00a0e',
    'hidden',
    'U+0020 SPACE at position 1, U+0020 SPACE in place of U+00A0 NO-BREAK SPACE at position 7, U+0020 SPACE at position 9',
  ],
]

for (const [text, other, by, inWords] of SPELLINGS) {
  test(`${JSON.stringify(text)} differs from ${JSON.stringify(other)} by ${inWords}`, () => {
    const difference = differenceOf(text, other)
    assert.equal(difference, by)
    assert.equal(differenceOf(other, text), by)
    assert.equal(differenceInWords(text, other, difference ?? 'case').split(': ')[1], inWords)
    assert.deepEqual(new Lookalikes(['unlike', text, other]).find(text), { text: other, by })
  })
}

test('texts with a visible difference do not look alike', () => {
  for (const [text, other] of [
    ['done', 'don'],
    ['done', 'd one'],
    ['done', 'done.'],
    ['caf\u00e9', 'cafe'],
    ['a_b', 'a-b'],
    ['5 µs', '5 ms'],
    ['done', 'done'],
  ] as const)
    assert.equal(differenceOf(text, other), null)
  assert.equal(new Lookalikes(['done', 'shipped']).find('done'), null)
})

test('the least different of several similar texts is found', () => {
  assert.equal(new Lookalikes(['DONE', 'done ', 'done']).find('done\n')?.text, 'done ')
  assert.equal(new Lookalikes(['DONE', 'ｄone']).find('done')?.text, 'ｄone')
})

test('the first differences are named, and further ones counted', () => {
  const words = differenceInWords('\u200ba\u200bb\u200bc\u200bd\u200b', 'abcd', 'hidden')
  assert.match(words, /at position 1, .* at position 3, .* at position 5 and 2 more$/)
})

test('removing invisible characters keeps joiners that belong to the script', () => {
  for (const kept of ['👩\u200d💻', '\u2764\ufe0f', 'می\u200cخواهم', 'क्\u200dष', 'a  b', 'done'])
    assert.equal(plainSpelling(kept), kept)
  for (const [text, plain] of [
    ['\u200b done\u00a0', 'done'],
    ['do\u200dne', 'done'],
    ['\u200ddone', 'done'],
    ['e\u0301', '\u00e9'],
    ['a\u00a0b', 'a b'],
    ['\t\u200b', ''],
  ] as const)
    assert.equal(plainSpelling(text), plain)
})

test('the longest types are compared', () => {
  const [text, other] = ['\u200bé'.repeat(127), 'e\u0301'.repeat(127)]
  assert.equal(differenceOf(text, other), 'hidden')
  assert.match(
    differenceInWords(text, other, 'hidden'),
    /U\+200B .* … in place of U\+0065 .* … at position 1$/,
  )
})

test('an event type that looks like a type of the condition gets a note', () => {
  const noteOn = typeNotes({ op: 'AND', conditions: [{ event: 'done' }, { event: 'Paid ' }] })
  for (const type of ['done', 'other', 'review']) assert.equal(noteOn(type), null)
  assert.equal(
    noteOn('\u200bdone'),
    'The type "\\u200bdone" differs from "done" only by invisible characters: U+200B ZERO WIDTH SPACE at position 1.',
  )
  assert.match(noteOn('DONE') ?? '', /differs from "done" only by letter case/)
  assert.match(noteOn('Paid') ?? '', /differs from "Paid " only by .* no U\+0020 SPACE/)
  assert.match(noteOn('Paid ') ?? '', /differs from "Paid" only by/)
  assert.match(noteOn('activity_window_elapsed ') ?? '', /differs from "activity_window_elapsed" only by/)
  assert.match(noteOn('other\u00a0') ?? '', /^The type "other\\u00a0" differs from "other" only by/)
  const ofTwo = typeNotes({ event: 'delivered' }, { event: 'complained' })
  assert.equal(ofTwo('complaned'), 'No condition names the type "complaned". Perhaps "complained" is meant.')
  assert.match(noteOn('\u200b') ?? '', /consists only of invisible characters: U\+200B/)
})
