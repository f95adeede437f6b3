import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { ofFirstShard } from '../support/claims-of-one-shard.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { EVENT_WRITES, LAST_WRITE, LAST_WRITE_OF_CHANGE } from '../support/event-writes.ts'
import { runBatch } from '../support/run-batch.ts'
import { startStruckService } from '../support/struck-service.ts'
import { armWriteFaults, refuseOnce } from '../support/write-faults.ts'

/*
 * A batch for live claims and for claims on test clocks is written by several statements. Whichever of them fails, and
 * however, each answer says what was written.
 */

const service = await startStruckService({ after })
const { api, proxy } = service
await armWriteFaults(service)
const customer = await api.customer('acme')
let made = 0

type Home = 'live' | 'clock'

/** A claim that the service has a copy of, or one that it must read. */
async function newClaim(home: Home, known: boolean): Promise<string> {
  const body = { customer_id: customer, contract: contractWith({ fulfillment_condition: { event: 'goal' } }) }
  const onClock = home === 'clock' ? { test_clock_id: await newClock() } : {}
  const { id } = await ofFirstShard(
    service,
    async () => (await api.post('/v1/claims', { ...body, ...onClock })).body,
  )
  if (known)
    assert.equal((await api.post('/v1/events', { claim_id: id, id: 'first', type: 'a' })).status, 201)
  return id
}

const newClock = async (): Promise<string> =>
  (await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body.id

const logOf = async (id: string): Promise<string[]> =>
  (await api.readClaim(id)).events.map((event: { id: string }) => event.id)

interface Sent {
  claim_id: string
  id?: string
  type: string
}

/** What was answered 201 is in the log once, what was refused is not, and nothing was answered as a repeat of itself. */
async function assertTold(events: readonly Sent[], results: readonly Answer['body'][]): Promise<void> {
  for (const [i, { claim_id, id }] of events.entries()) {
    const { status, event, error } = results[i]
    const name = event?.id ?? id
    const times = (await logOf(claim_id)).filter((one) => one === name).length
    assert.notEqual(status, 200, 'it is a first submission')
    assert.equal(times, status === 201 ? 1 : 0, `${name} was answered ${status} ${error?.message}`)
  }
}

const statuses = (results: readonly Answer['body'][]): number[] => results.map(({ status }) => status)

/** Where the faulty event stands among others: alone in its statement, or together with others. */
const ORDERS: Record<string, Home[]> = {
  'a clock after live claims': ['live', 'live', 'clock'],
  'live claims after a clock': ['clock', 'live', 'live'],
  'a clock between': ['live', 'clock', 'clock', 'live'],
}

describe('a write that fails says nothing of those before it and beside it', { concurrency: false }, () => {
  for (const [order, homes] of Object.entries(ORDERS)) {
    for (const known of [true, false]) {
      for (const [type, status] of [
        ['fault_53100', 503],
        ['fault_57014', 503],
        ['fault_22012', 500],
        ['fault_XX000', 500],
        ['once_40P01', 201],
        ['once_57P01', 201],
      ] as const) {
        test(`${type}, ${order}, ${known ? 'of copies' : 'read first'}`, async () => {
          const prepare = async (faulty: number) => {
            const claims = await Promise.all(homes.map((home) => newClaim(home, known)))
            const events = claims.map((claim_id, i) => ({
              claim_id,
              id: `e${made++}`,
              type: i === faulty ? type : 'a',
            }))
            await refuseOnce(service, events[faulty]?.id as string)
            return { faulty, events }
          }
          const attempt = async ({ faulty, events }: { faulty: number; events: Sent[] }) => {
            const results = await runBatch(api, '/v1/events/batch', events)
            await assertTold(events, results)
            assert.equal(results[faulty].status, status)
            // A full disk is everybody's who is in the statement; else only the faulty one is refused.
            if (status !== 503) {
              assert.deepEqual(
                statuses(results),
                homes.map((_, i) => (i === faulty ? status : 201)),
              )
            }
          }
          const prepared = await Promise.all(homes.map((_, faulty) => prepare(faulty)))
          // Where machines commit apart these are tried again for seconds: all at once.
          if (isOnCitus() && status === 503) await Promise.all(prepared.map(attempt))
          else for (const one of prepared) await attempt(one)
        })
      }
    }
  }

  test('several to one claim: those that are refused beside the faulty one are answered too', async () => {
    const [live, other] = [await newClaim('live', true), await newClaim('clock', true)]
    const events = [
      { claim_id: live, id: 'x1', type: 'a' },
      { claim_id: other, id: 'y1', type: 'a' },
      { claim_id: other, id: 'y2', type: 'fault_22012' },
      { claim_id: other, id: 'y3', type: 'goal' },
      { claim_id: live, id: 'x2', type: 'goal' },
      { claim_id: other, id: 'y4', type: 'a' },
    ]
    const results = await runBatch(api, '/v1/events/batch', events)
    assert.deepEqual(statuses(results), [201, 201, 500, 201, 201, 422])
    assert.deepEqual(await logOf(live), ['first', 'x1', 'x2'])
    assert.deepEqual(await logOf(other), ['first', 'y1', 'y3'])
  })
})

describe('a connection that is lost', { concurrency: false }, () => {
  const STATEMENTS = ['read_claims_to_decide', 'read_events', ...EVENT_WRITES]
  const CUTS = ['cut before', 'cut during'] as const
  for (const statement of STATEMENTS) {
    for (const cut of CUTS) {
      for (const known of [true, false]) {
        const name = `at ${statement}, ${cut}, ${known ? 'of copies' : 'read first'}`
        test(`${name}: answers follow what was written`, async () => {
          const [a, b] = [await newClaim('live', known), await newClaim('clock', known)]
          const repeated = await newClaim('live', true)
          const events = [
            { claim_id: a, id: '1', type: 'a' },
            { claim_id: b, id: '1', type: 'a' },
            // Without an id of the caller's.
            { claim_id: a, type: 'a' },
            { claim_id: b, type: 'a' },
          ]
          const repeat = { claim_id: repeated, id: 'first', type: 'a' }
          proxy.strike({ statement }, cut)
          const results = await runBatch(api, '/v1/events/batch', [...events, repeat])
          assert.ok(proxy.hasStruck() || (known && statement === 'read_claims_to_decide'), 'was not cut')
          const again = results.pop()
          await assertTold(events, results)
          assert.ok([200, 503].includes(again.status))
          if (EVENT_WRITES.includes(statement)) {
            assert.deepEqual(statuses([...results, again]), [201, 201, 201, 201, 200])
          }
        })
      }
    }
  }

  test('twice, once while it is written and once while it is looked for: still answered 201', async () => {
    const [a, b] = [await newClaim('live', true), await newClaim('clock', true)]
    const events = [a, b].map((claim_id) => ({ claim_id, id: 'twice', type: 'goal' }))
    proxy.strike({ statement: LAST_WRITE_OF_CHANGE }, 'cut during')
    let looks = 0
    proxy.listen((statement) => {
      if (statement === 'read_claims_to_decide' && looks++ === 0)
        proxy.strike({ statement: 'read_claims_to_decide' }, 'cut before')
    })
    const results = await runBatch(api, '/v1/events/batch', events)
    proxy.listen(null)
    assert.ok(looks > 1)
    assert.ok(proxy.hasStruck())
    await assertTold(events, results)
    assert.equal(results[0].status, 201)
  })

  test('while those are written one by one of which one is refused: each is answered as it was written', async () => {
    for (const cut of CUTS) {
      // On a busy machine the first of a batch may go before the others are there, and then none is written one by one.
      let isStruck = false
      for (let tries = 0; tries < 10 && !isStruck; tries++) isStruck = await cutOneByOne(cut)
      assert.ok(isStruck)
    }
  })

  /** Whether they were written together at first. */
  async function cutOneByOne(cut: (typeof CUTS)[number]): Promise<boolean> {
    const claims = await Promise.all(
      ['live', 'live', 'live', 'clock'].map((home) => newClaim(home as Home, true)),
    )
    const events = claims.map((claim_id, i) => ({
      claim_id,
      id: 'one',
      type: i === 0 ? 'fault_22012' : 'a',
    }))
    // The first write is of all live claims, the second of the clock's, then come those of each one.
    let writes = 0
    proxy.listen((statement) => {
      if (!(isOnCitus() ? /^write_to_shards/ : /^append_events/).test(statement)) return
      writes++
      if (writes === 4) proxy.strike({ statement: LAST_WRITE }, cut)
    })
    const results = await runBatch(api, '/v1/events/batch', events)
    proxy.listen(null)
    await assertTold(events, results)
    assert.deepEqual(statuses(results), [500, 201, 201, 201])
    assert.ok(proxy.hasStruck())
    return writes >= 4
  }
})

test('a claim that is deleted between the look at its log and the look at a repeated event answers 404, and its neighbours as they were written', async () => {
  const clock = await newClock()
  const body = { customer_id: customer, contract: contractWith(), test_clock_id: clock }
  const { id: doomed } = (await api.post('/v1/claims', body)).body
  const live = await newClaim('live', true)
  await api.post('/v1/events', { claim_id: doomed, id: 'first', type: 'a' })
  let deleted: Promise<unknown> | null = null
  proxy.listen((statement) => {
    if (statement !== 'read_events') return null
    deleted ??= service.sql(
      `WITH gone AS (DELETE FROM claims WHERE id = '${doomed}') DELETE FROM claim_events WHERE claim_id = '${doomed}'`,
    )
    return deleted
  })
  const results = await runBatch(api, '/v1/events/batch', [
    { claim_id: doomed, id: 'first', type: 'a' },
    { claim_id: live, id: 'beside', type: 'a' },
  ])
  proxy.listen(null)
  assert.ok(deleted)
  assert.deepEqual(statuses(results), [404, 201])
  assert.deepEqual(await logOf(live), ['first', 'beside'])
})
