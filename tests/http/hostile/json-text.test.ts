import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  minimumBytes,
  pathAt,
  type SplitBody,
  splitList,
} from '../../../src/platform/http/bodies/json-text.ts'
import { payload } from '../../support/json-arbitraries.ts'
import type { Json } from '../../support/source/json.ts'

const cut = (text: string, most = 1_000): SplitBody => {
  const cutting = splitList(text, 'events', most)
  for (;;) {
    const { done, value } = cutting.next()
    if (done) return value
  }
}

/** What JSON.parse makes of the pieces, put together as the body; undefined where it is not JSON. */
function parsePieces(text: string): Json | undefined {
  try {
    const { rest, items, skippedPieces } = cut(text)
    const body = JSON.parse(rest)
    for (const piece of skippedPieces) JSON.parse(`[0,${piece}]`)
    const values = items?.map((item) => JSON.parse(item))
    return values && Array.isArray(body.events) ? { ...body, events: values } : body
  } catch {
    return undefined
  }
}

function parseWhole(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const body = fc.oneof(
  fc.record({
    a: payload,
    events: fc.array(fc.oneof(payload, fc.constant([])), { maxLength: 4 }),
    b: fc.array(payload, { maxLength: 2 }),
  }),
  fc.record({ events: fc.oneof(payload, fc.array(fc.array(payload, { maxLength: 2 }), { maxLength: 3 })) }),
  fc.array(fc.oneof(fc.constant('events'), payload, fc.array(payload, { maxLength: 2 }))),
)
const text = fc
  .tuple(body, fc.constantFrom(0, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, null, space))

test('rest and items of a split body make up the body', () => {
  fc.assert(
    fc.property(text, (text) => {
      assert.deepEqual(parsePieces(text), parseWhole(text))
    }),
    { numRuns: 1_000 },
  )
})

test('invalid JSON gives an invalid rest or an invalid item', () => {
  const damage = fc.record({
    at: fc.nat({ max: 400 }),
    remove: fc.nat({ max: 3 }),
    insert: fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      ' ',
      '\u00a0',
      '1',
      '[1]',
      '"events":[1,{}]',
      ',"events":[2]',
    ),
  })
  fc.assert(
    fc.property(text, fc.array(damage, { minLength: 1, maxLength: 3 }), (text, damages) => {
      const damaged = damages.reduce((text, { at, remove, insert }) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + insert + text.slice(place + remove)
      }, text)
      assert.deepEqual(parsePieces(damaged), parseWhole(damaged), damaged)
    }),
    { numRuns: 5_000 },
  )
})

for (const text of [
  '{"events":[]}',
  '{"events":[ ]}',
  '{"events":[\u00a0]}',
  '{"events":[1,]}',
  '{"events":[,]}',
  '{"events":[,1]}',
  '{"events":[1}',
  '{"events":[1]]',
  '{"events":[1],"events":[2,3]}',
  '{"events":[x],"events":[2,3]}',
  '{"events":[1],"events":[],"events":[2,]}',
  '{"events":[1],"events":2}',
  '{"events":[1],"events":{"a":[1]}}',
  '{"\\u0065vents":["]",{"events":[1]}]}',
  '["events",[1,2]]',
  '{"a":["events",[1,2]]}',
  '{"a":"events","b":[1]}',
  '{"events":["\\\\",",","\\""]}',
  '[',
  '{"events":[1,"',
  '',
]) {
  test(`rest and items make up ${text}`, () => {
    assert.deepEqual(parsePieces(text), parseWhole(text))
  })
}

test('a list that is too long gives the maximum number of items', () => {
  const { items, isTooLong } = cut('{"events":[1,2,3]}', 2)
  assert.deepEqual([items, isTooLong], [['1', '2'], true])
  assert.equal(cut('{"events":[1,2]}', 2).isTooLong, false)
})

test('the last list of a name counts, however many items the others have', () => {
  const { items, isTooLong, skippedPieces } = cut('{"events":[1,2,3],"events":[4]}', 2)
  assert.deepEqual([items, isTooLong, skippedPieces], [['4'], false, ['1,2,3']])
  assert.equal(cut('{"events":[4],"events":[1,2,3]}', 2).isTooLong, true)
})

test('skipped lists are returned in pieces of whole items, also if the items are long', () => {
  const long = `"${'x'.repeat(100_000)}"`
  const list = [
    ...Array(60_000).fill('1'),
    long,
    ...Array(10).fill('2'),
    long,
    long,
    ...Array(40_000).fill('3'),
  ]
  const { skippedPieces } = cut(`{"events":[${list}],"events":[4]}`)
  assert.equal(skippedPieces.join(), list.join())
  assert.ok(skippedPieces.length >= 7 && skippedPieces.length < 20, `${skippedPieces.length} pieces`)
  for (const piece of skippedPieces)
    assert.ok(piece === long || piece.length <= 0x10000, `${piece.length} characters`)
  for (const piece of skippedPieces) JSON.parse(`[${piece}]`)
})

test('minimumBytes is a lower bound that counts strings and structure in full', () => {
  fc.assert(
    fc.property(payload, fc.constantFrom(0, 2), (value, space) => {
      assert.ok(minimumBytes(JSON.stringify(value, null, space)) <= Buffer.byteLength(JSON.stringify(value)))
    }),
  )
  assert.equal(minimumBytes('{ "a" : ["xyz", {"\\u0041\\n": "}"}] }'), '{"a":["xyz",{"An":"}"}]}'.length)
})

test('the path of a position in a text leads to the value at the position', () => {
  fc.assert(
    fc.property(payload, fc.infiniteStream(fc.nat({ max: 5 })), (value, choices) => {
      const marked = structuredClone(value)
      const path: (string | number)[] = []
      let at: Json = marked
      for (;;) {
        const keys: (string | number)[] = Array.isArray(at) ? [...at.keys()] : Object.keys(at as object)
        const key = keys[(choices.next().value as number) % Math.max(keys.length, 1)]
        if (key === undefined) return
        path.push(key)
        const child: Json = (at as Record<string | number, Json>)[key] as Json
        if (typeof child === 'object' && child !== null && Object.keys(child).length > 0) at = child
        else {
          Object.assign(at as object, { [key]: 123456789012 })
          break
        }
      }
      const text = JSON.stringify(marked)
      assert.deepEqual(pathAt(text, text.indexOf('123456789012')), path)
    }),
  )
})
