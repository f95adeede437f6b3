import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { documentOfContract, withJson } from '../../dashboard/src/contracts/contract-document.ts'
import { problemOfFields, readFields } from '../../dashboard/src/events/event-draft.ts'
import { localNumbers } from '../../dashboard/src/format/local-number.ts'
import { problemOfValue, readValue, valueText } from '../../dashboard/src/format/value-text.ts'
import { contractWith } from '../support/contracts.ts'

const LOCALES = ['en', 'de', 'de-CH', 'fr', 'es', 'pl', 'sv', 'en-IN', 'ar-EG', 'fa', 'bn', 'he']

test('any number or match value survives conversion to text and back in any locale', () => {
  const values = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.jsonValue())
  for (const locale of LOCALES) {
    const numbers = localNumbers(locale)
    fc.assert(
      fc.property(values, (made) => {
        const value = JSON.parse(JSON.stringify(made))
        if (typeof value === 'number')
          assert.deepEqual(numbers.readNumber(numbers.writeNumber(value)), { number: value })
        const text = valueText(value, numbers)
        assert.deepEqual(readValue(text, numbers), value)
        assert.equal(problemOfValue(text, numbers), undefined)
      }),
      { numRuns: 50 },
    )
  }
})

test('a formatted amount is read as the same amount', () => {
  const amount = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 4 }))
  for (const locale of LOCALES) {
    const numbers = localNumbers(locale)
    const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 })
    fc.assert(
      fc.property(amount, ([units, places]) => {
        const value = units / 10 ** places
        assert.equal(numbers.readNumber(format.format(value)).number, value, format.format(value))
      }),
      { numRuns: 50 },
    )
  }
})

const readings = (locale: string, texts: string[]) =>
  texts.map((text) => {
    const { number, problem } = localNumbers(locale).readNumber(text)
    return number ?? problem
  })

test('decimal and group signs are those of the locale, and an ambiguous number is refused with its readings', () => {
  const texts = ['49,50', '49.50', '1.234', '1,234', '1.234,50', '1,234.50', '1.234.567', '12,34,567']
  assert.deepEqual(readings('de', texts), [
    49.5,
    'must be written with “,”: 49,50',
    'is ambiguous: write 1234 or 1,234',
    1.234,
    1234.5,
    'must be a number, such as 1.234,5',
    1_234_567,
    'must be a number, such as 1.234,5',
  ])
  assert.deepEqual(readings('en-IN', texts), [
    'must be written with “.”: 49.50',
    49.5,
    1.234,
    'is ambiguous: write 1234 or 1.234',
    'must be a number, such as 1,234.5',
    1234.5,
    'must be a number, such as 1,234.5',
    1_234_567,
  ])
  const spaced = ['1 234,5', '1\u00a0234,5', '1\u202f234,5', '1 23,5', '12 34']
  const refusal = 'must be a number, such as 1 234,5'
  assert.deepEqual(readings('fr', spaced), [1234.5, 1234.5, 1234.5, refusal, refusal])
  assert.deepEqual(readings('de-CH', ["1'234.5", '1’234.5']), [1234.5, 1234.5])
})

test('native and Latin digits are read but not mixed', () => {
  assert.deepEqual(readings('ar-EG', ['١٬٢٣٤٫٥', '1,234.5', '\u061c-٤٩', '−7', '١2']), [
    1234.5,
    1234.5,
    -49,
    -7,
    'must be a number, such as ١٬٢٣٤٫٥',
  ])
  assert.equal(localNumbers('fa').writeNumber(-49.5), '-۴۹٫۵')
})

test('a number that JSON cannot store exactly is refused, and so is other text', () => {
  const refused = [
    '',
    'ten',
    '007',
    '.5',
    '5.',
    '+5',
    '1e',
    '0x10',
    '--1',
    'NaN',
    'Infinity',
    '1 2',
    '١',
    '1'.repeat(401),
  ]
  for (const text of refused) assert.ok(localNumbers('en').readNumber(text).problem, text)
  const lossy = ['9007199254740993', '0.12345678901234567', '1e-999', '18446744073709551616']
  for (const text of lossy)
    assert.equal(localNumbers('en').readNumber(text).problem, 'has more digits than can be stored', text)
  assert.equal(localNumbers('en').readNumber('1e999').problem, 'is too large')
  assert.equal(localNumbers('en').readDecimal('0.12345678901234567').decimal, '0.12345678901234567')
  const kept = ['49.50', '9007199254740992', '1e21', '1.10e-7', '0.1', '-0']
  assert.deepEqual(readings('en', kept), [49.5, 9_007_199_254_740_992, 1e21, 1.1e-7, 0.1, 0])
})

test('groups with an exponent are refused as ambiguous', () => {
  for (const [locale, texts] of [
    ['de', ['1.234E0', '1.234e3', '12.345e-2']],
    ['es', ['1.234e3']],
    ['en', ['1,234e3', '1,234,567e2']],
  ] as const) {
    const numbers = localNumbers(locale)
    for (const text of texts) {
      assert.ok(numbers.readNumber(text).problem, `${locale} ${text}`)
      assert.ok(problemOfValue(text, numbers), `${locale} ${text}`)
    }
  }
  assert.equal(localNumbers('de').readNumber('1234e3').number, 1_234_000)
})

test('JSON with an inexact number is refused in values, fields and contracts', () => {
  const lossy = ['9007199254740993', '1e400', '-1e-400']
  for (const number of lossy) {
    const text = `{"a": [${number}], "b": "9007199254740993"}`
    assert.match(problemOfValue(text) ?? '', /cannot be stored exactly/)
    assert.equal(readFields(text), null)
    assert.match(problemOfFields(text) ?? '', /cannot be stored exactly/)
    const contract = JSON.stringify(contractWith()).replace('"price":10', `"price":${number}`)
    const document = withJson(documentOfContract(contractWith()), contract)
    assert.equal(document.contract, null)
    assert.match(document.problem ?? '', /cannot be stored exactly/)
  }
  const kept = '{"a": [9007199254740992, 0.1, 1e21], "b": "9007199254740993"}'
  assert.deepEqual([problemOfValue(kept), readFields(kept)], [undefined, JSON.parse(kept)])
  assert.equal(problemOfFields('[1]'), 'Must be a JSON object')
})

test('multiplication by an integer is exact', () => {
  const { readNumber } = localNumbers('de')
  assert.notEqual(1.1 * 3_600 * 3, 11_880)
  assert.deepEqual(readNumber('1,1', 10_800), { number: 11_880 })
  assert.deepEqual(readNumber('0,7', 86_400), { number: 60_480 })
  assert.ok(readNumber('0,1234567890123456', 86_400).problem)
})

test('a value that looks like a number is refused, and in quotes it is text', () => {
  const de = localNumbers('de')
  for (const text of ['7.5', '1.234', '1,234.5', '10 000', '9007199254740993', '1e999']) {
    assert.ok(problemOfValue(text, de), text)
    assert.equal(readValue(text, de), text, 'and as JSON it is that text, and no other number')
    assert.equal(problemOfValue(`"${text}"`, de), undefined)
    assert.equal(readValue(`"${text}"`, de), text)
  }
  assert.equal(problemOfValue('7.5', de), 'must be written with “,”: 7,5, or "7.5" for text')
  assert.equal(readValue('7,5', de), 7.5)
  for (const text of ['DE', '2026-01-31', '31.01.2026', '1.2.3', '01234', '+49 30 1234', '10.0.0.1', '12:30'])
    assert.deepEqual([problemOfValue(text, de), readValue(text, de)], [undefined, text])
})
