import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { contract, extendedContract } from '../support/arbitraries.ts'
import { sharedService } from '../support/shared.ts'
import { validateContract } from '../support/source/contracts.ts'
import { isJsonObject, type Json, type JsonObject } from '../support/source/json.ts'

/*
 * The published schema of a contract and the domain's validation are written twice; here they are held to the same
 * verdicts. Sizes that the schema says in words (nodes, depth, bytes) are not reached. What it says in words of the review
 * is left out of the comparison.
 */

const service = await sharedService()
const { body: document } = await service.api.get('/openapi.json')
const ajv = new Ajv2020({ strict: false })
ajv.addSchema({ ...document, $id: 'openapi' })
const isValidBySchema = ajv.compile({ $ref: 'openapi#/components/schemas/Contract' })

const IN_WORDS = [/must not hold over no event/, /seconds from review_window to/]

function assertSameVerdict(value: Json): void {
  const isValidBut = (word: RegExp) => issues.length > 0 && issues.every(({ message }) => word.test(message))
  const issues = validateContract(value)
  if (IN_WORDS.some(isValidBut)) return
  const bySchema = isValidBySchema(value)
  const said = `${JSON.stringify(value)}\nschema: ${ajv.errorsText(isValidBySchema.errors)}\ndomain: ${JSON.stringify(issues)}`
  assert.equal(issues.length === 0, bySchema, said)
}

const NAMES = [
  'event',
  'match',
  'field',
  'gt',
  'eq',
  'op',
  'conditions',
  'condition',
  'aggregate',
  'review',
  'reversal_condition',
  'restart_on',
  'max_duration',
  'strict_deadline',
  'price',
  'constructor',
  'toString',
  'x',
  '',
]
const VALUES: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    -1,
    1,
    0.5,
    1e12,
    1e12 + 1,
    3_155_760_000,
    3_155_760_001,
    1e300,
    5e-324,
  ),
  fc.constantFrom<Json>(
    '',
    'a',
    'AND',
    'OR',
    'NOT',
    'and',
    'confirm',
    'fail',
    'CONFIRMED',
    'count',
    'sum',
    'activity_window_elapsed',
    'x'.repeat(255),
    'x'.repeat(256),
  ),
  fc.constantFrom<Json>('😀'.repeat(255), '😀'.repeat(256), [], {}, [[]], [{}], { event: 'a' }, [
    { event: 'a' },
  ]),
  fc.constantFrom<Json>(
    { op: 'AND', conditions: [] },
    { op: 'NOT', condition: { event: 'a' } },
    { op: 'NOT', conditions: [] },
    { event: 'a', aggregate: 'count', gte: 2 },
    { event: 'a', aggregate: 'sum', field: 'n', gt: 2 },
    { op: 'OR', conditions: [{ event: 'a' }, { event: 'b', gt: 1 }] },
    { reversal_condition: { event: 'a' } },
    { restart_on: { event: 'a' }, max_duration: 3_155_760_000 },
    { restart_on: { event: 'a' } },
  ),
)

/** One change somewhere in the tree: a value replaced, a key removed, or a key added. */
interface Mutation {
  place: number
  kind: 'replace' | 'remove' | 'add'
  name: string
  value: Json
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom('replace', 'remove', 'add'),
  name: fc.constantFrom(...NAMES),
  value: VALUES,
})

describe('the published schema of a contract and the domain give the same verdict', () => {
  for (const [kind, contracts] of [
    ['of the five fields', contract],
    ['with more', extendedContract],
  ] as const) {
    test(`on valid contracts ${kind}: both take them`, () => {
      fc.assert(
        fc.property(contracts, (value) => {
          assert.deepEqual(validateContract(value), [])
          assertSameVerdict(value as unknown as Json)
        }),
        { numRuns: 500 },
      )
    })

    test(`on contracts ${kind} with one to three changes`, () => {
      let [valid, wrong] = [0, 0]
      fc.assert(
        fc.property(contracts, fc.array(mutation, { minLength: 1, maxLength: 3 }), (value, mutations) => {
          const changed = mutations.reduce(mutate, structuredClone(value) as unknown as JsonObject)
          assertSameVerdict(changed)
          if (isValidBySchema(changed)) valid++
          else wrong++
        }),
        { numRuns: 3_000 },
      )
      assert.ok(valid > 50 && wrong > 500, `the changes are of little use: ${valid} valid, ${wrong} wrong`)
    })
  }

  test('on what is no contract at all', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => assertSameVerdict(value as Json)),
      { numRuns: 300 },
    )
  })
})

function mutate(root: JsonObject, { place, kind, name, ...mutation }: Mutation): JsonObject {
  const value = structuredClone(mutation.value)
  const holders = holdersIn(root)
  const holder = holders[place % holders.length] as JsonObject | Json[]
  const keys = Object.keys(holder)
  const key = keys[Math.floor(place / holders.length) % Math.max(keys.length, 1)]
  if (Array.isArray(holder)) {
    if (kind === 'add' || key === undefined) holder.push(value)
    else if (kind === 'remove') holder.splice(Number(key), 1)
    else holder[Number(key)] = value
  } else if (kind === 'add' || key === undefined) holder[name] = value
  else if (kind === 'remove') delete holder[key]
  else holder[key] = value
  return root
}

/** Every object and array in the tree, its root first. */
function holdersIn(value: Json): (JsonObject | Json[])[] {
  if (!isJsonObject(value) && !Array.isArray(value)) return []
  return [value, ...Object.values(value).flatMap(holdersIn)]
}
