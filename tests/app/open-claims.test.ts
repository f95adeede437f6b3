import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUser } from '../../src/app/accounts/users.ts'
import { type Opening, openClaims } from '../../src/app/creation/open-claims.ts'
import { createCustomer } from '../../src/app/customers.ts'
import { ServiceError } from '../../src/errors.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { startStruckService } from '../support/struck-service.ts'
import { TurnCounter } from '../support/turn-counter.ts'

/* The contracts of a large batch are made of their texts when they are stored: that may take most of a second in all. */

const { app, proxy } = await startStruckService({ after })
const { strike } = proxy
const user = await createUser(app, 'opener@example.com')
const customer = await createCustomer(app, { userId: user.id, externalId: 'acme', name: null, metadata: {} })

const CONTRACT = contractWith({ fulfillment_condition: { event: 'done', match: 'x'.repeat(60_000) } })

/** Claims with contracts that are made late, each of which is noted. */
const openings = (count: number, onMade: () => void): Opening[] =>
  Array.from({ length: count }, () => ({
    // Of one machine: what is away on one does not stop the others.
    address: { kind: 'claim', id: app.db.distribution.newClaimId() },
    customer,
    source: {
      contract: () => {
        onMade()
        return CONTRACT
      },
    },
    testClockId: null,
    reference: null,
    seed: null,
    metadata: {},
  }))

const open = (count: number, onMade: () => void) =>
  openClaims(app, user.id, openings(count, onMade), async () => {})

test('once the database is away, contracts that are not tried are not made either', async () => {
  let made = 0
  strike({ statement: isOnCitus() ? 'insert_in_shards' : 'insert_claims' }, 'cut before')
  const opened = await open(40, () => made++)
  assert.ok(opened.every((claim) => claim instanceof ServiceError && claim.code === 'UNAVAILABLE'))
  assert.ok(made > 0 && made <= 10, `${made} contracts were made`)
})

test('contracts that take long to make leave turns of the event loop to others', async () => {
  const counter = new TurnCounter()
  const turns: number[] = []
  const opened = await open(12, () => {
    const from = performance.now()
    while (performance.now() - from < 6);
    turns.push(counter.turns)
  })
  counter.stop()
  assert.ok(opened.every((claim) => !(claim instanceof Error)))
  assert.equal(new Set(turns).size, turns.length, `made in the turns ${turns}`)
})
