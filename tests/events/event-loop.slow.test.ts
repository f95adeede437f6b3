import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readClaimsToDecide } from '../../src/claims/claims-to-decide.ts'
import {
  type CreationRequest,
  createClaimsOrCandidates,
} from '../../src/claims/create/create-claims-or-candidates.ts'
import type { Contract } from '../../src/core/contracts/contract.ts'
import { makeSnapshot } from '../../src/events/submission/claim-cache.ts'
import { RawJson } from '../../src/kernel/json.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import type { Submission } from '../support/source/claims.ts'
import { ServiceError } from '../support/source/errors.ts'
import { TickCounter } from '../support/tick-counter.ts'

/* Work that takes long for one request yields to the event loop. */

const { api, app, proxy } = await startProxiedService({ after })
const { id: userId } = (await api.get('/v1/me')).body
const { id, external_id: externalId } = await newCustomer(api)
const customer = { id, externalId }

/** Longer than the time of a tick for long tasks. */
function beBusy(): void {
  const from = performance.now()
  while (performance.now() - from < 6);
}

class LongContract extends RawJson<{ contract: Contract }> {
  readonly #onParse: () => void

  constructor(onParse: () => void) {
    super('')
    this.#onParse = onParse
  }

  override parse() {
    this.#onParse()
    const match = 'x'.repeat(60_000)
    return { contract: contractWith({ fulfillment_condition: { event: 'done', match } }) }
  }
}

/** Claims whose contracts are parsed when they are stored. */
const openings = (count: number, onMade: () => void): CreationRequest[] =>
  Array.from({ length: count }, () => ({
    // Of one machine: what is away on one does not stop the others.
    address: { kind: 'claim', id: app.db.distribution.newClaimId() },
    customer,
    source: {
      contract: new LongContract(onMade),
    },
    testClockId: null,
    reference: null,
    seed: null,
    metadata: {},
    reminders: null,
  }))

const open = (count: number, onMade: () => void) =>
  createClaimsOrCandidates(app, userId, openings(count, onMade), async () => {}, null)

test('after the database becomes unavailable, contracts of the remaining claims are not prepared', async () => {
  let created = 0
  proxy.inject({ statement: isOnCitus() ? 'insert_in_shards' : 'insert_claims' }, 'cut before')
  const opened = await open(40, () => created++)
  assert.ok(opened.every((claim) => claim instanceof ServiceError && claim.code === 'UNAVAILABLE'))
  assert.ok(created > 0 && created <= 10, `${created} contracts were made`)
})

test('each slow contract is built in a tick of the event loop of its own', async () => {
  const counter = new TickCounter()
  const ticks: number[] = []
  const opened = await open(12, () => {
    beBusy()
    ticks.push(counter.ticks)
  })
  counter.stop()
  assert.ok(opened.every((claim) => !(claim instanceof Error)))
  assert.equal(new Set(ticks).size, ticks.length, `created in the ticks ${ticks}`)
})

test('repeats of one event, sent together, are compared one in a tick of the event loop', async () => {
  const { id: claimId } = await newClaim(api)
  const payload = { value: 'v'.repeat(5_000) }
  const payloadJson = JSON.stringify(payload)
  const named = { id: 'again', type: 'note', payloadBytes: payloadJson.length }
  const submit = (submission: Submission) =>
    app.submissions.submit({ userId, address: { kind: 'claim', id: claimId }, submission, payloadJson })
  await submit({ ...named, payload })

  const counter = new TickCounter()
  const ticks: number[] = []
  const slow: Submission = {
    ...named,
    get payload() {
      beBusy()
      ticks.push(counter.ticks)
      return payload
    },
  }
  const submitted = await Promise.all(Array.from({ length: 6 }, () => submit(slow)))
  counter.stop()
  assert.ok(submitted.every(({ replayed }) => replayed))
  assert.equal(ticks.length, 6)
  assert.equal(new Set(ticks).size, ticks.length, `compared in the ticks ${ticks}`)
})

test('events of aggregates, sent together, are decided one in a tick of the event loop, and counted one by one from the log', async () => {
  const conditions = [{ event: 'note', aggregate: 'count' as const, gte: 100 }]
  const { id: claimId } = await newClaim(api, { fulfillment_condition: { op: 'OR', conditions } })
  const counter = new TickCounter()
  const ticks = new Map<string, number>()
  const submit = (name: string) =>
    app.submissions.submit({
      userId,
      address: { kind: 'claim', id: claimId },
      submission: {
        id: name,
        type: 'note',
        payloadBytes: 2,
        get payload() {
          if (!ticks.has(name)) {
            beBusy()
            ticks.set(name, counter.ticks)
          }
          return {}
        },
      },
      payloadJson: '{}',
    })
  const submitted = await Promise.all(Array.from({ length: 6 }, (_, i) => submit(`${i}`)))
  counter.stop()
  assert.equal(submitted.at(-1)?.claim.eventCount, 6)
  assert.equal(new Set(ticks.values()).size, 6, `decided in the ticks ${[...ticks.values()]}`)

  const { claims } = await readClaimsToDecide(app.db.checks, new Map([[claimId, []]]))
  for (const read of claims) assert.equal([...makeSnapshot(read)].length, 6)
})
