import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { comparedFields } from '../../src/backtest/compared-fields.ts'
import { differenceFrom, similarityKey } from '../../src/backtest/field-statistics.ts'
import { type DecimalMark, isLossyCell, readCell } from '../../src/backtest/read-cell.ts'
import type { JsonType } from '../../src/kernel/json.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'

describe('a cell of CSV is read by the value that a leaf compares (§10 rule 1)', () => {
  const cases: [cell: string, type: JsonType, value: unknown, mark?: DecimalMark][] = [
    ['007', 'text', '007'],
    [' done ', 'text', ' done '],
    ['true', 'text', 'true'],
    ['4.5000000000000000', 'number', 4.5],
    ['4.6666666666666667', 'number', 4.666666666666667],
    ['5.0000000000000000', 'number', 5],
    ['007', 'number', 7],
    ['+5', 'number', 5],
    ['5.', 'number', 5],
    ['.5', 'number', 0.5],
    ['-1e3', 'number', -1000],
    [' 5\u00a0', 'number', 5],
    ['4,5', 'number', undefined],
    ['4,5', 'number', 4.5, ','],
    ['-,5', 'number', -0.5, ','],
    ['5', 'number', 5, ','],
    ['4.5', 'number', undefined, ','],
    ['1.234,5', 'number', undefined, ','],
    ['1,234.5', 'number', undefined],
    ['5 %', 'number', undefined],
    ['0x10', 'number', undefined],
    ['NaN', 'number', undefined],
    ['Infinity', 'number', undefined],
    ['', 'number', undefined],
    ['-', 'number', undefined],
    ['true', 'boolean', true],
    ['True', 'boolean', true],
    [' FALSE ', 'boolean', false],
    ['1', 'boolean', undefined],
    ['yes', 'boolean', undefined],
    ['null', 'null', undefined],
    ['[1]', 'array', undefined],
    ['{}', 'object', undefined],
  ]
  for (const [cell, type, value, mark = '.'] of cases) {
    test(`${JSON.stringify(cell)} as ${type}, decimal mark ${mark}: ${JSON.stringify(value)}`, () => {
      assert.equal(readCell(cell, type, mark), value)
    })
  }
})

test('a number that a double cannot hold is recognized in every notation', () => {
  const isLossy = (cell: string) => isLossyCell(cell, readCell(cell, 'number', '.') as number)
  for (const cell of ['9007199254740993', '+9007199254740993', '1e400', '1e-400', '1234567890123456789'])
    assert.ok(isLossy(cell), cell)
  for (const cell of ['9007199254740992', '0', '0.000', '0.1234567890123456789', '4.50000000000000000000'])
    assert.ok(!isLossy(cell), cell)
})

test('texts that look alike are similar, and the difference is named (§10 rule 8)', () => {
  const similar: [one: string, other: string, difference: RegExp][] = [
    ['done', 'done ', /^invisible characters: no U\+0020 SPACE at position 5$/],
    ['in transit', 'in  transit', /^invisible characters/],
    ['done', '\ufeffdone', /^invisible characters/],
    ['caf\u00e9', 'cafe\u0301', /^invisible characters/],
    ['done', 'ｄｏｎｅ', /^the form of characters/],
    ['Done', 'done\r', /^letter case: U\+0044 “D” in place of U\+0064 “d” at position 1, no U\+000D/],
    ['007', '="007"', /^quotes, separators or characters at the start or end$/],
    ['007', '7', /^zeros at the start$/],
    ['say "hi"', '"say \\"hi\\""', /^quotes, separators or characters at the start or end$/],
    ['done', 'done.', /^quotes, separators or characters at the start or end$/],
    ['done', ' "Done"', /^quotes, separators or characters at the start or end$/],
  ]
  for (const [one, other, difference] of similar) {
    assert.equal(similarityKey(one), similarityKey(other), other)
    assert.match(differenceFrom(one, other), difference, JSON.stringify(other))
  }
  for (const [one, other] of [
    ['done', 'undone'],
    ['1.5', '15'],
    ['10', '1'],
    ['A-1', 'A-2'],
    ['?', '!'],
  ] as const)
    assert.notEqual(similarityKey(one), similarityKey(other), other)
})

test('compared fields are the paths of matches and comparators, by event and type', () => {
  const fulfillment_condition = all(
    { event: 'a', match: { colour: 'red', signed: { by: 'x', at: 1 }, tags: ['t'], any: {} } },
    any({ event: 'b', match: 3 }, { event: 'c', field: 'deep.down', lt: 1 }),
    { event: 'a', match: { colour: 'blue' }, field: 'colour', gte: 1 },
    not({ event: 'd' }),
  )
  const compared = comparedFields([contractWith({ fulfillment_condition })])
  const found = [...compared.values()].flat()
  assert.deepEqual(
    found.map(({ event, path, type, texts }) => [event, path.join('/'), type, ...texts]),
    [
      ['a', 'colour', 'text', 'red', 'blue'],
      ['a', 'signed/by', 'text', 'x'],
      ['a', 'signed/at', 'number'],
      ['a', 'tags', 'array'],
      ['a', 'any', 'object'],
      ['a', 'colour', 'number'],
      ['b', 'value', 'number'],
      ['c', 'deep/down', 'number'],
    ],
  )
})
