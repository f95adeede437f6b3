import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Doorway } from '../../src/accounts/doorway.ts'

const BOUNDS = { atOnce: 1, waiting: 5, waitingOfOne: 3, patienceMs: 60_000 }
const from = (address: string, isGone = () => false) => ({ address, isGone })

/** Somebody who is inside until told to leave. */
function occupy(doorway: Doorway) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const left = doorway.pass(from('occupant'), () => promise)
  return {
    leave: () => {
      resolve()
      return left
    },
  }
}

describe('a doorway', () => {
  test('lets addresses in by turns, and the callers of each in their order', async () => {
    const doorway = new Doorway(BOUNDS)
    const { leave } = occupy(doorway)
    const order: string[] = []
    const passing = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      doorway.pass(from(name[0] as string), async () => void order.push(name)),
    )
    await Promise.all([leave(), ...passing])
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  test('refuses at once who is one too many of all addresses', async () => {
    const doorway = new Doorway(BOUNDS)
    const { leave } = occupy(doorway)
    const work = async () => 'done'
    const waiting = ['a', 'a', 'a', 'b', 'b'].map((address) => doorway.pass(from(address), work))
    await assert.rejects(doorway.pass(from('c'), work), { code: 'RATE_LIMITED' })
    await leave()
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['done']))
    assert.equal(await doorway.pass(from('c'), work), 'done')
  })

  test('refuses whose turn does not come in time, and goes on with the others', async () => {
    const doorway = new Doorway({ ...BOUNDS, patienceMs: 20 })
    const { leave } = occupy(doorway)
    await assert.rejects(
      doorway.pass(from('a'), async () => 'done'),
      { code: 'RATE_LIMITED' },
    )
    await leave()
    assert.equal(await doorway.pass(from('a'), async () => 'done'), 'done')
  })

  test('does no work for callers that are gone, and survives work that fails', async () => {
    const doorway = new Doorway(BOUNDS)
    const { leave } = occupy(doorway)
    let worked = 0
    const work = async () => ++worked
    const gone = assert.rejects(
      doorway.pass(
        from('a', () => true),
        work,
      ),
      { code: 'RATE_LIMITED' },
    )
    const failing = assert.rejects(
      doorway.pass(from('a'), async () => Promise.reject(new Error('no'))),
      /no/,
    )
    const next = doorway.pass(from('a'), work)
    await Promise.all([leave(), gone, failing])
    assert.equal(await next, 1)
  })
})
