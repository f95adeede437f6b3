import assert from 'node:assert/strict'
import type { Answer } from '../support/api-client.ts'
import { ofFirstShard } from '../support/claims-of-one-shard.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { newClock } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import type { TestService } from '../support/test-service.ts'
import { armWriteFaults, refuseOnce } from '../support/write-faults.ts'

/* Batches for live claims and for claims on test clocks, which are written by several statements. */

/** Where a claim is: each has statements of its own. */
export type Home = 'live' | 'clock'

interface Sent {
  claim_id: string
  id?: string
  type: string
}

interface Failure {
  /** Of the faulty event: see `armWriteFaults`. */
  type: string
  /** That the faulty event is answered. */
  status: number
  /** Where each of the batch is. */
  homes: readonly Home[]
  /** Whether the service has copies of the claims, or must read them. */
  known: boolean
}

export const statusesOf = (results: readonly Answer['body'][]): number[] =>
  results.map(({ status }) => status)

export async function mixedBatches(service: TestService) {
  const { api } = service
  await armWriteFaults(service)
  const customer = await api.customer('acme')
  let created = 0

  /** A claim that the service has a copy of, or one that it must read. */
  async function newClaim(home: Home, known: boolean): Promise<string> {
    const contract = contractWith({ fulfillment_condition: { event: 'goal' } })
    const onClock = home === 'clock' ? { test_clock_id: await newClock(api) } : {}
    const body = { customer_id: customer, contract, ...onClock }
    const { id } = await ofFirstShard(service, async () => (await api.post('/v1/claims', body)).body)
    if (known)
      assert.equal((await api.post('/v1/events', { claim_id: id, id: 'first', type: 'a' })).status, 201)
    return id
  }

  /** What was answered 201 is in the log once, what was refused is not, and nothing was answered as a repeat of itself. */
  async function assertResultsMatchLog(
    events: readonly Sent[],
    results: readonly Answer['body'][],
  ): Promise<void> {
    for (const [i, { claim_id, id }] of events.entries()) {
      const { status, event, error } = results[i]
      const name = event?.id ?? id
      const times = (await api.eventIds(claim_id)).filter((one) => one === name).length
      assert.notEqual(status, 200, 'it is a first submission')
      assert.equal(times, status === 201 ? 1 : 0, `${name} was answered ${status} ${error?.message}`)
    }
  }

  /** Each event of a batch is the faulty one once: the answers say what was written. */
  async function assertFailureIsReported({ type, status, homes, known }: Failure): Promise<void> {
    const prepare = async (faulty: number) => {
      const claims = await Promise.all(homes.map((home) => newClaim(home, known)))
      const events = claims.map((claim_id, i) => ({
        claim_id,
        id: `e${created++}`,
        type: i === faulty ? type : 'a',
      }))
      await refuseOnce(service, events[faulty]?.id as string)
      return { faulty, events }
    }
    const attempt = async ({ faulty, events }: { faulty: number; events: Sent[] }) => {
      const results = await runBatch(api, '/v1/events/batch', events)
      await assertResultsMatchLog(events, results)
      assert.equal(results[faulty].status, status)
      // A full disk is everybody's who is in the statement; else only the faulty one is refused.
      if (status !== 503) {
        assert.deepEqual(
          statusesOf(results),
          homes.map((_, i) => (i === faulty ? status : 201)),
        )
      }
    }
    const prepared = await Promise.all(homes.map((_, faulty) => prepare(faulty)))
    // Where machines commit apart these are tried again for seconds: all at once.
    if (isOnCitus() && status === 503) await Promise.all(prepared.map(attempt))
    else for (const one of prepared) await attempt(one)
  }

  return { customer, newClaim, assertResultsMatchLog, assertFailureIsReported }
}

/** Types of faulty events, and what they are answered. */
export const FAILURES = [
  { type: 'fault_53100', status: 503 },
  { type: 'fault_57014', status: 503 },
  { type: 'fault_22012', status: 500 },
  { type: 'fault_XX000', status: 500 },
  { type: 'once_40P01', status: 201 },
  { type: 'once_57P01', status: 201 },
]
