import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Claim } from '../../src/core/claims/claim.ts'
import { type ExplainedCondition, Explanation } from '../../src/core/contracts/explain.ts'
import { parsed } from '../../src/kernel/json.ts'
import * as arbitrary from '../support/arbitraries.ts'
import { all, contractWith } from '../support/contracts.ts'
import { EventLog, type LogEvent } from '../support/source/claims.ts'
import { type Condition, compile, type Leaf } from '../support/source/contracts.ts'
import type { Json, JsonObject } from '../support/source/json.ts'

/* §2.2 word for word: each leaf looks through the whole log, and nothing is made ready or remembered. */

function isTrue(condition: Condition, log: readonly LogEvent[]): boolean {
  if (!('op' in condition)) return log.some((event) => meets(event, condition))
  if (condition.op === 'NOT') return !isTrue(condition.condition, log)
  const truths = condition.conditions.map((child) => isTrue(child, log))
  return condition.op === 'AND' ? !truths.includes(false) : truths.includes(true)
}

function meets({ type, system, payload: json }: LogEvent, leaf: Leaf): boolean {
  const payload = parsed(json)
  if (system || type !== leaf.event) return false
  if (typeof leaf.match === 'object' && !contains(payload, leaf.match)) return false
  if (leaf.match !== undefined && typeof leaf.match !== 'object' && payload.value !== leaf.match) return false
  const bounds = (['gt', 'gte', 'lt', 'lte', 'eq'] as const).filter((name) => name in leaf)
  const number = (leaf.field ?? 'value').split('.').reduce<Json | undefined>(under, payload)
  return bounds.every((name) => typeof number === 'number' && compare(number, name, leaf[name] as number))
}

const under = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function contains(actual: Json | undefined, expected: Json): boolean {
  if (!isObject(expected)) return isSame(actual, expected)
  return (
    isObject(actual) &&
    Object.entries(expected).every(
      ([key, value]) => Object.hasOwn(actual, key) && contains(actual[key], value),
    )
  )
}

function isSame(actual: Json | undefined, expected: Json): boolean {
  try {
    assert.deepEqual(actual, expected)
    return true
  } catch {
    return false
  }
}

function compare(number: number, name: 'gt' | 'gte' | 'lt' | 'lte' | 'eq', bound: number): boolean {
  if (name === 'eq') return number === bound
  if (number === bound) return name === 'gte' || name === 'lte'
  return number > bound === name.startsWith('g')
}

const log = fc
  .tuple(arbitrary.log, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }))
  .map(([events, systems]) =>
    events.map((event, i) => ({ ...event, system: systems[i] === true && i % 3 === 0 })),
  )

test('after every event the log says what the condition says of all events so far (§2.2 rule 1)', () => {
  fc.assert(
    fc.property(arbitrary.condition, log, (condition, events) => {
      let seen = new EventLog(condition)
      for (const [i, event] of events.entries()) {
        assert.equal(seen.satisfiesCondition, isTrue(condition, events.slice(0, i)))
        seen = seen.with(event)
      }
      assert.equal(seen.satisfiesCondition, isTrue(condition, events))
    }),
    { numRuns: 2_000 },
  )
})

test('an object with many keys is matched as any other', () => {
  const match = fc.oneof(
    arbitrary.largeObject,
    arbitrary.largeObject.map((o) => ({ o })),
  )
  let met = 0
  fc.assert(
    fc.property(fc.array(match, { minLength: 1, maxLength: 3 }), match, (wanted, payload) => {
      const leaves = wanted.map((one) => ({ event: 'a', match: one }))
      const event = { type: 'a', payload, system: false }
      const satisfied = new Set(compile(all(...leaves)).leavesSatisfiedBy(event))
      for (const leaf of leaves) assert.equal(satisfied.has(leaf), contains(payload, leaf.match))
      met += satisfied.size
    }),
    { numRuns: 2_000 },
  )
  assert.ok(met > 200, `${met}`)
})

test('an explanation names at each node its truth, and at each leaf the first events that satisfy it', () => {
  fc.assert(
    fc.property(arbitrary.condition, log, (condition, events) => {
      assertExplains(explain(condition, events), condition, events)
    }),
    { numRuns: 1_000 },
  )
})

test('of many events that satisfy a leaf the first ten are named', () => {
  const events = Array.from({ length: 30 }, (_, i) => event(`e${i}`, { value: i }))
  const explained = explain(all({ event: 'a', gte: 5 }), events)
  assert.ok('conditions' in explained)
  const [leaf] = explained.conditions as { satisfied_by: string[] }[]
  assert.deepEqual(
    leaf?.satisfied_by,
    Array.from({ length: 10 }, (_, i) => `e${i + 5}`),
  )
})

test('a payload is looked at once for all leaves of its type, and not for the others', () => {
  let looks = 0
  let seen = new EventLog(
    all(
      ...Array.from({ length: 300 }, (_, i) => ({ event: 'a', field: 'o.n', gte: i })),
      ...Array.from({ length: 300 }, (_, i) => ({ event: 'b', match: { o: { n: [i] } } })),
    ),
  )
  const nested = {
    get n() {
      looks++
      return 5
    },
  }
  const payload: JsonObject = { o: nested }
  for (let i = 0; i < 1_000; i++)
    seen = seen.with({ ...event(`e${i}`, payload), type: i % 2 === 0 ? 'a' : 'c' })
  assert.equal(looks, 500)
})

test('arrays are matched whole whatever the order of keys within them, and never as anything else', () => {
  const match = { list: [{ a: 1, b: [null, 'x,y'] }, 'z', -0] }
  const holds = (list: Json) => EventLog.of({ event: 'a', match }, [event('e', { list })]).satisfiesCondition
  assert.equal(holds([{ b: [null, 'x,y'], a: 1 }, 'z', 0]), true)
  assert.equal(holds([{ b: ['null', 'x,y'], a: 1 }, 'z', 0]), false)
  assert.equal(holds([{ b: [null, 'x', 'y'], a: 1 }, 'z', 0]), false)
  assert.equal(holds([{ b: [null, 'x,y'], a: 1, c: 1 }, 'z', 0]), false)
  assert.equal(holds([{ b: [null, 'x,y'], a: '1' }, 'z', 0]), false)
  assert.equal(holds('[{"a":1,"b":[null,"x,y",],},"z",0,]'), false)
})

function event(id: string, payload: JsonObject): LogEvent {
  return { id, type: 'a', payload, system: false, createdAt: new Date(0) }
}

function explain(condition: Condition, events: readonly LogEvent[]): ExplainedCondition {
  const explanation = new Explanation({
    status: 'OPEN',
    contract: contractWith({ fulfillment_condition: condition }),
  } as unknown as Claim)
  for (const event of events) explanation.add(event)
  return explanation.condition
}

function assertExplains(node: ExplainedCondition, condition: Condition, events: readonly LogEvent[]): void {
  assert.equal(node.satisfied, isTrue(condition, events))
  if ('satisfied_by' in node) {
    const ids = events.filter((event) => meets(event, condition as Leaf)).map(({ id }) => id)
    assert.deepEqual(node.satisfied_by, ids.slice(0, 10))
    return
  }
  const children = 'conditions' in node ? node.conditions : [node.condition]
  const { conditions, condition: child } = condition as { conditions?: Condition[]; condition?: Condition }
  for (const [i, one] of children.entries()) {
    assertExplains(one, (conditions?.[i] ?? child) as Condition, events)
  }
}

test('a condition is made ready once', () => {
  const condition = all({ event: 'a' }, { event: 'b' })
  assert.equal(compile(condition), compile(condition))
})

test('only the leaves of types that come are made ready', () => {
  const looks: string[] = []
  const leafOf = (event: string): Leaf => {
    const leaf: Leaf = { event }
    const get = () => {
      looks.push(event)
      return { a: 1 }
    }
    return Object.defineProperty(leaf, 'match', { get, enumerable: false })
  }
  const log = new EventLog(all(leafOf('a'), leafOf('b'), leafOf('b')))
  assert.equal(log.with({ type: 'none', payload: {}, system: false }), log)
  assert.deepEqual(looks, [])
  const one = log.with({ type: 'b', payload: {}, system: false })
  assert.equal(one.with({ type: 'b', payload: {}, system: false }), one)
  assert.deepEqual(looks, ['b', 'b'])
})
