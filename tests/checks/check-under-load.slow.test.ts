import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { countDeadlocks } from '../support/deadlocks.ts'
import { runBatch } from '../support/run-batch.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'

/* A scheduled check of many claims, by two servers, while submissions go on. */

const OVERDUE = 20_000
const ROUNDS = 12
const PAUSE_MS = 200
const MAX_ATTEMPTS = 300

const service = await startTestService({ after })
const second = await startTestService({ after }, { databaseUrl: service.databaseUrl, withoutAccount: true })
const { api, sql } = service
const there = second.clientWith(api.token)
const checkTime = new Date((Math.floor(Date.now() / 60_000) + 10) * 60_000)

interface SentEvent {
  claim_id: string
  id: string
  type: string
}

interface Stored {
  id: string
  status: string
  scheduled_outcome: string | null
  event_count: number
  types: string[]
  ids: string[]
  times_ascend: boolean
  since_is_last: boolean
}

/** The claims with their logs. */
const readAll = async (ids: readonly string[]) =>
  (await sql(
    `SELECT c.id, status, scheduled_outcome, event_count, array_agg(e.type ORDER BY seq) AS types,
       array_agg(e.id ORDER BY seq) AS ids,
       array_agg(e.created_at ORDER BY seq) = array_agg(e.created_at ORDER BY e.created_at, seq) AS times_ascend,
       c.status_since = max(e.created_at) AS since_is_last
     FROM claims c JOIN claim_events e ON e.claim_id = c.id WHERE c.id = ANY ($1) GROUP BY c.id`,
    [ids],
  )) as unknown as Stored[]

test('each of 20,000 overdue claims makes one transition, and no acknowledged event is lost, of these claims or of others', async () => {
  const customer = await api.customer('acme')
  const terms = contractWith({ activity_window: 0.001, review_window: 86_400 })
  const overdue: string[] = [(await api.claim(customer, terms)).id]
  const copies = await sql(COPY_CLAIM, [overdue[0], OVERDUE - 1])
  overdue.push(...copies.map(({ id }) => String(id)))
  const others: string[] = []
  for (let i = 0; i < 100; i++) others.push((await api.claim(customer, contractWith())).id)
  const deadlocks = await countDeadlocks(service)

  /** Of each event that was sent, by its id: what became of it. */
  const answers = new Map<string, { claim: string; status: number }>()
  let checked = false
  async function submitRounds(client: typeof api, writer: number): Promise<void> {
    for (let n = 0; n < ROUNDS || !checked; n++) {
      const events = Array.from({ length: 100 }, (_, i) => {
        const target = (n * 997 + i * 211 + writer * 5_003) % OVERDUE
        const claim_id = (i % 2 ? overdue[target] : others[target % 100]) as string
        // Half of the overdue ones are settled by an event where it comes before the check.
        return { claim_id, id: `${writer}-${n}-${i}`, type: i % 4 === 1 ? 'done' : 'seen' }
      })
      await submitUntilAnswered(client, events)
    }
  }
  /** As careful clients do: what is answered 503 is sent again with its id. */
  async function submitUntilAnswered(client: typeof api, events: SentEvent[]): Promise<void> {
    let left = events
    for (let attempt = 0; left.length > 0; attempt++) {
      assert.ok(attempt < MAX_ATTEMPTS, `${left.length} events are never answered`)
      if (attempt > 0) await pause(PAUSE_MS)
      const results = await runBatch(client, '/v1/events/batch', left)
      left = left.filter(({ id, claim_id }, i) => {
        const { status } = results[i]
        if (status === 503) return true
        // It may have been recorded before.
        const isRepeated = status === 200 && attempt > 0
        assert.ok(status === 201 || status === 422 || isRepeated, `${status} ${JSON.stringify(results[i])}`)
        answers.set(id, { claim: claim_id, status: isRepeated ? 201 : status })
        return false
      })
    }
  }
  const submitting = [api, there, api, there].map(submitRounds)
  const checking = Promise.all([service, second].map(({ app }) => runScheduledCheck(app, checkTime)))
  const end = () => {
    checked = true
  }
  checking.then(end, end)
  await Promise.allSettled([checking, ...submitting])
  const [checks] = await Promise.all([checking, ...submitting])

  const stored = await readAll(overdue)
  assert.equal(stored.length, OVERDUE, 'none without an event')
  let bySubmission = 0
  for (const claim of stored) {
    assert.equal(claim.status, 'PENDING')
    assert.equal(claim.types.length, claim.event_count)
    assert.ok(claim.times_ascend && claim.since_is_last)
    const last = claim.types.at(-1)
    assert.equal(claim.scheduled_outcome, last === 'done' ? 'CONFIRMED' : 'FAILED')
    assert.equal(last === 'done' || last === 'activity_window_elapsed', true)
    assert.equal(claim.types.filter((type) => type !== 'seen').length, 1, 'one transition')
    if (last === 'done') bySubmission++
  }
  assert.equal(
    checks.reduce((sum, moved) => sum + moved),
    OVERDUE - bySubmission,
  )

  const logs = [...stored, ...(await readAll(others))]
  const logged = logs.flatMap(({ id, ids, types }) =>
    ids.filter((_, i) => types[i] !== 'activity_window_elapsed').map((event) => `${id} ${event}`),
  )
  const acknowledged = [...answers]
    .filter(([, { status }]) => status === 201)
    .map(([event, { claim }]) => `${claim} ${event}`)
  assert.deepEqual(logged.sort(), acknowledged.sort())
  assert.ok(
    [...answers.values()].some(({ status }) => status === 422),
    'checks and submissions met',
  )
  assert.equal(await countDeadlocks(service), deadlocks)
})
