import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectGarbage } from '../support/collect-garbage.ts'
import { type Condition, compile, type Leaf, leavesOf } from '../support/source/contracts.ts'

/* What is made ready of conditions goes with them, and may not fill the memory, whatever they are. */

const MIB = 1024 * 1024
/** Far below the size of all conditions. */
const MAX_GROWTH_MIB = 40

function heapMib(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / MIB
}

/** A type is made ready with its first event. */
function makeReady(condition: Condition): void {
  const { event: type } = leavesOf(condition)[0] as Leaf
  compile(condition).leavesSatisfiedBy({ type, payload: {}, system: false })
}

const KINDS: [string, (i: number) => Condition, number][] = [
  ['of one short leaf', (i) => ({ event: `e${i}` }), 60_000],
  ['with deep objects', (i) => ({ event: 'e', match: { a: { a: { a: { a: { a: i } } } } } }), 30_000],
]

const empty = heapMib()

for (const [what, make, count] of KINDS) {
  test(`conditions ${what} that are kept ready stay within their memory`, () => {
    for (let i = 0; i < count; i++) makeReady(make(i))
    const grown = heapMib() - empty
    assert.ok(grown < MAX_GROWTH_MIB, `${count} conditions grew the heap by ${Math.round(grown)} MiB`)
  })
}
