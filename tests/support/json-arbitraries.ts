import fc from 'fast-check'
import type { Json, JsonObject } from './source/json.ts'

/** fast-check's unit 'binary' has the same characters and U+0000, but costs two seconds at its first use. */
const character = fc
  .integer({ min: 1, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
/** Strings that the service keeps: well-formed, without U+0000. */
export const text = fc.string({ unit: character })

/** JSON of any shape, with names and strings that often cause bugs. */
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

/** Payloads: any fields without a meaning of their own. */
export const payload: fc.Arbitrary<JsonObject> = fc.dictionary(name(), json, {
  maxKeys: 6,
  noNullPrototype: true,
})

function name(): fc.Arbitrary<string> {
  const taken = ['id', 'type', 'claim_id', 'candidate_alias', 'created_at', 'system', '__proto__']
  return fc
    .oneof(
      fc.constantFrom('value', 'constructor', 'toString', 'hasOwnProperty', 'length', '', 'a.b', '0'),
      text,
    )
    .filter((it) => !taken.includes(it))
}
