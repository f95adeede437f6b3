import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { ClaimRun } from '../../src/core/claims/claim-run.ts'
import type { Answer, ApiClient } from './api-client.ts'
import { all, any, contractWith, not } from './contracts.ts'
import { eventually } from './eventually.ts'
import { uniqueName } from './new-records.ts'
import { runBatch } from './run-batch.ts'
import type { Condition } from './source/contracts.ts'
import type { JsonObject } from './source/json.ts'

/*
 * A load of submissions like those of careful clients: each event has an id and is sent again until it is answered.
 * At the end the logs must contain each acknowledged event once.
 */

const WORKERS = 16
/** A light load: workers pause between their events. */
const FEW_WORKERS = 4
const LIGHT_PAUSE_MS = 150
const TIMEOUT_MS = 3_000
const FIRST_PAUSE_MS = 10
/** Attempts after which the test fails: at least a minute with the pauses. */
const MAX_ATTEMPTS = 400

/** Few of the sent events settle a claim, in different ways. */
const CONDITIONS: Condition[] = [
  all({ event: 'goal' }, { event: 'paid', gte: 3 }),
  any({ event: 'goal', match: { value: 1 } }, all({ event: 'paid' }, not({ event: 'goal' }))),
  { event: 'progress', field: 'n', gte: 12 },
]

const NEVER_SETTLED: Condition[] = [{ event: 'never' }]

type Fate = 'acknowledged' | 'refused'

export interface EventLoad {
  /** Changes the servers. A restarted server has another address. */
  setServers: (urls: readonly string[]) => void
  /** Resolves after this number of further acknowledged events. */
  acknowledges: (more: number) => Promise<unknown>
  /** Sends no new events. Resolves when all sent events are answered. */
  stop: () => Promise<void>
  /** Compares the stored logs, as a client reads them, with the responses. */
  verify: (api: ApiClient) => Promise<void>
  /** Submissions that were sent more than once. */
  retries: () => number
}

/** Creates the claims and begins to submit to them, from several connections. */
export async function startEventLoad(
  api: ApiClient,
  urls: readonly string[],
  claims: number,
  /** A light load runs for long, on claims that never settle. */
  { isLight } = { isLight: false },
): Promise<EventLoad> {
  const conditions = isLight ? NEVER_SETTLED : CONDITIONS
  const customer = await api.customer(uniqueName('load'))
  // In one request: hundreds of requests would be refused on a slow machine.
  const created = Array.from({ length: claims }, (_, i) => ({
    customer_id: customer,
    contract: contractWith({ fulfillment_condition: conditions[i % conditions.length] as Condition }),
  }))
  const opened: Answer['body'][] = (await runBatch(api, '/v1/claims/batch', created)).map(
    ({ claim }) => claim,
  )
  const fates = new Map<string, Map<string, Fate>>(opened.map(({ id }) => [id, new Map()]))
  let servers = urls
  let stopping = false
  let acknowledged = 0
  let retried = 0

  async function work(worker: number): Promise<void> {
    for (let n = 0; !stopping; n++) {
      const claim = opened[(worker * 7 + n * WORKERS) % claims]
      const event = eventOf(worker, n)
      const fate = await submitUntilAnswered(claim.id, event)
      fates.get(claim.id)?.set(event.id, fate)
      if (fate === 'acknowledged') acknowledged++
      if (isLight) await pause(LIGHT_PAUSE_MS)
    }
  }

  async function submitUntilAnswered(claimId: string, event: { id: string } & JsonObject): Promise<Fate> {
    for (let attempt = 0; ; attempt++) {
      const url = servers[(attempt + event.id.length) % servers.length]
      const answer = await submit(`${url}/v1/claims/${claimId}/events`, event)
      if (answer?.status === 201 || answer?.status === 200) {
        assert.equal(answer.body.event.id, event.id)
        return 'acknowledged'
      }
      if (answer?.status === 422) return 'refused'
      assert.ok(
        answer === null || answer.status === 503,
        `answered ${answer?.status} ${JSON.stringify(answer?.body)}`,
      )
      assert.ok(attempt < MAX_ATTEMPTS, `${event.id} is never answered`)
      retried++
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** attempt, 200))
    }
  }

  /** Null without a response. */
  async function submit(url: string, event: JsonObject): Promise<Pick<Answer, 'status' | 'body'> | null> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(event),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return { status: response.status, body: await response.json() }
    } catch {
      return null
    }
  }

  const workers = Promise.all(Array.from({ length: isLight ? FEW_WORKERS : WORKERS }, (_, i) => work(i)))
  // stop() reports the failure of a worker.
  workers.catch(() => {
    stopping = true
  })
  return {
    setServers: (next) => {
      servers = next
    },
    acknowledges: (more) => {
      const goal = acknowledged + more
      return eventually(async () => acknowledged >= goal || stopping, { seconds: 60 })
    },
    stop: async () => {
      stopping = true
      await workers
    },
    retries: () => retried,
    verify: async (reader) => {
      for (const { id } of opened) verifyClaim(await reader.readClaim(id), fates.get(id) ?? new Map())
    },
  }
}

function eventOf(worker: number, n: number): { id: string } & JsonObject {
  const type = n % 23 === 5 ? 'goal' : n % 29 === 7 ? 'paid' : 'progress'
  return { id: `event-${worker}-${n}`, type, value: n % 5, n }
}

/** The log contains every acknowledged event once and nothing else, and its state follows from it. */
function verifyClaim(claim: Answer['body'], fates: ReadonlyMap<string, Fate>): void {
  const { events, contract } = claim
  const acknowledged = [...fates].filter(([, fate]) => fate === 'acknowledged').map(([id]) => id)
  assert.deepEqual(events.map(({ id }: { id: string }) => id).sort(), acknowledged.sort())
  const times: string[] = events.map((event: { created_at: string }) => event.created_at)
  assert.deepEqual(times, times.toSorted(), 'times do not run backwards')

  const run = new ClaimRun(contract, new Date(claim.created_at))
  for (const { id, type, created_at, system: _, ...payload } of events) {
    const fate = run.submit({ id, type, payload, payloadBytes: 0 }, new Date(created_at))
    assert.equal(fate.kind, 'append', 'an event that a claim which was settled before must refuse')
  }
  const { status, scheduledOutcome, statusSince, dueAt } = run.state
  assert.deepEqual(
    [claim.status, claim.scheduled_outcome, claim.status_since, claim.due_at],
    [status, scheduledOutcome, statusSince.toISOString(), dueAt?.toISOString()],
  )
}
