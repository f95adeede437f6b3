import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ClaimCopies, copyOf } from '../../src/app/claim-copies.ts'
import { openState } from '../../src/domain/lifecycle.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { all, contractWith } from '../support/contracts.ts'

/* Copies may not fill the memory, whatever the claims are (of which the limits of §8 are the only bound). */

const MIB = 1024 * 1024
/** Copies are bounded to 12 MiB by their own estimate; it may be wrong by some, but not by a multiple. */
const MOST_MIB = 36

function heapMib(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / MIB
}

/** A claim as it is read from the database, with a contract of its own. */
function claimWith(options: {
  leaves: number
  events: number
  idLength: number
}): Parameters<typeof copyOf>[0] {
  const leaves = Array.from({ length: options.leaves }, (_, i) => ({
    event: `${randomUUID()}${'x'.repeat(50)}${i}`,
    gte: i,
  }))
  const contract = JSON.parse(JSON.stringify(contractWith({ fulfillment_condition: all(...leaves) })))
  const now = new Date()
  const claim = {
    id: randomUUID(),
    userId: randomUUID(),
    customerId: randomUUID(),
    candidateAlias: null,
    customerExternalId: null,
    contract,
    ...openState(contract, now),
    eventCount: options.events,
    logBytes: 0,
    schemaId: null,
    testClockId: null,
    createdAt: now,
  }
  const eventIds = Array.from({ length: options.events }, () => randomUUID().padEnd(options.idLength, '€'))
  const contractLength = JSON.stringify(contract).length
  return JSON.parse(JSON.stringify({ claim, contractLength, eventIds, decisiveEvents: [] }))
}

for (const [what, options, count] of [
  ['with the largest contracts', { leaves: 500, events: 0, idLength: 36 }, 1_000],
  ['with the longest ids of events', { leaves: 1, events: 1_000, idLength: 255 }, 400],
  ['of the common kind', { leaves: 2, events: 10, idLength: 36 }, 16_000],
] as const) {
  test(`copies of claims ${what} stay within their memory`, () => {
    const before = heapMib()
    const copies = new ClaimCopies()
    for (let i = 0; i < count; i++) copies.keep(copyOf(claimWith(options)))
    const grown = heapMib() - before
    assert.ok(grown < MOST_MIB, `${count} claims grew the heap by ${Math.round(grown)} MiB`)
    assert.equal(copies.get('none'), undefined)
  })
}
