import assert from 'node:assert/strict'
import { any, contractWith } from '../../support/contracts.ts'
import { contradictionsOf } from '../../support/contradictions.ts'
import { eventually } from '../../support/eventually.ts'
import { holdClock } from '../../support/held-rows.ts'
import { newClock } from '../../support/new-records.ts'
import type { Operation } from '../fault-table.ts'
import { eventOf, fateOf, type History } from '../history.ts'
import { nextNumber } from '../load.ts'
import { NEVER_SETTLED, openClaims, POISON, type Testbed } from '../testbed.ts'

/* Submissions in one group. */

const mixedGroup: Operation = {
  name: 'a group of live claims and clocks',
  begin: async (testbed, history) => {
    const claims = await claimsOfAllKinds(testbed)
    const [claimId] = claims
    const recorded = eventOf(claimId as string, 'recorded before')
    assert.equal((await testbed.service.api.post('/v1/events', recorded)).status, 201)
    return {
      run: async () => {
        const [again] = await submitTogether(testbed, history, claims, [recorded])
        if (again.status !== 200) fateOf({ status: again.status, body: again })
      },
      finish: async () => {
        assert.equal((await testbed.service.api.post('/v1/events', recorded)).status, 200)
      },
    }
  },
}

const groupWithPoison: Operation = {
  name: 'a group in which the database refuses one event',
  begin: async (testbed, history) => {
    const [spoiled, ...claims] = await claimsOfAllKinds(testbed)
    const poison = { ...eventOf(spoiled as string, 'poison'), type: POISON }
    return {
      run: async () => {
        const [refused] = await submitTogether(testbed, history, claims, [poison])
        assert.notEqual(fateOf({ status: refused.status, body: refused }), 'done')
      },
      finish: async () => {
        assert.equal((await testbed.service.api.post('/v1/events', poison)).status, 500)
        assert.deepEqual((await testbed.service.api.readClaim(spoiled as string)).events, [])
      },
    }
  },
}

const lockedClock: Operation = {
  name: 'submissions whose test clock is locked',
  begin: async (testbed, history) => {
    const { service, customer } = testbed
    const clock = await newClock(service.api)
    const claims = await openClaims(service, customer.id, 2, clock, { together: true })
    const releases: (() => Promise<void>)[] = []
    const held = await holdClock({ after: (release) => releases.push(release) }, service.databaseUrl, clock)
    const [since] = await service.sql('SELECT clock_timestamp() AS time')
    const isSent = async () => (await service.sql(FIND_STATEMENT, [since?.time])).length > 0
    return {
      run: async () => {
        const submitted = submitTogether(testbed, history, claims, [])
        const isOver = submitted.then(() => true)
        await Promise.race([isOver, eventually(isSent)])
        await held.release()
        await submitted
      },
      finish: async () => {
        for (const release of releases) await release()
      },
    }
  },
}

/** Finds a poll for free test clocks after $1. */
const FIND_STATEMENT = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND query_start > $1 AND query LIKE '-- find_free_test_clocks%'`

const longLog: Operation = {
  name: 'submissions to a claim with a long log',
  begin: async (testbed, history) => {
    const { service, customer } = testbed
    const fulfillment_condition = { event: 'progress', field: 'value', gte: 1_000 }
    const { id } = await service.api.claim(customer.id, contractWith({ fulfillment_condition }))
    for (const text of LENGTHEN) await service.sql(text, [id])
    return {
      run: async () => void (await submitTogether(testbed, history, [id], [])),
      finish: async () => assert.ok((await service.api.readClaim(id)).events.length >= 3),
    }
  },
}

/** Three events that the condition reads, of 40 KB each. */
const LENGTHEN = [
  `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
   SELECT $1, n, 'long-' || n, 'progress', json_build_object('value', n, 'text', repeat('x', 40000)), false, now()
   FROM generate_series(1, 3) AS n`,
  'UPDATE claims SET event_count = 3, log_bytes = 3 * 40040 WHERE id = $1',
]

const extendedContracts: Operation = {
  name: 'a group of claims of extended contracts, live and on clocks',
  begin: async (testbed, history) => {
    const claims = await claimsOfAllKinds(testbed, LOSABLE)
    return {
      run: async () => void (await submitTogether(testbed, history, claims, [])),
      finish: async () => {
        const reversal = claims.map((id) => ({ ...eventOf(id, 'reversal'), type: 'reversal' }))
        const answer = await testbed.service.api.post('/v1/events/batch', { events: reversal })
        for (const { status } of answer.body.results) assert.equal(status, 201)
        for (const id of claims) assert.deepEqual(await contradictionsOf(testbed.service, id), [])
      },
    }
  },
}

/** The first event settles a claim. Further events restart its review. */
const LOSABLE = contractWith({
  fulfillment_condition: any({ event: 'other' }, { event: 'reversal' }),
  review: {
    reversal_condition: { event: 'reversal' },
    restart_on: { event: 'other' },
    max_duration: 86_400,
  },
})

/** Three live claims, and one claim on each of two test clocks. */
async function claimsOfAllKinds({ service, customer }: Testbed, contract = NEVER_SETTLED): Promise<string[]> {
  const clocks = [await newClock(service.api), await newClock(service.api)]
  const claims = await Promise.all([
    openClaims(service, customer.id, 3, null, { together: true, contract }),
    ...clocks.map((clock) => openClaims(service, customer.id, 1, clock, { together: true, contract })),
  ])
  return claims.flat()
}

/** Submits two new events for each claim and the other events in one batch. Returns the results of the other events. */
async function submitTogether(
  { service }: Testbed,
  history: History,
  claims: readonly string[],
  others: readonly object[],
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a result
): Promise<any[]> {
  const own = [...claims, ...claims].map((claimId) => eventOf(claimId, `together-${nextNumber()}`))
  const answer = await service.api.post('/v1/events/batch', { events: [...own, ...others] })
  const results =
    answer.body.results ?? [...own, ...others].map(() => ({ ...answer.body, status: answer.status }))
  for (const [i, { claim_id, id }] of own.entries())
    history.noteEvent(claim_id, id, { status: results[i].status, body: results[i] })
  return results.slice(own.length)
}

export const SUBMISSION_OPERATIONS: readonly Operation[] = [
  mixedGroup,
  groupWithPoison,
  lockedClock,
  longLog,
  extendedContracts,
]
