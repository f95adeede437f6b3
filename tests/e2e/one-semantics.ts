import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Answer } from '../support/api-client.ts'
import * as arbitrary from '../support/arbitraries.ts'
import { sharedService } from '../support/shared.ts'
import { runCase } from '../support/source/backtest.ts'
import type { Contract } from '../support/source/contracts.ts'
import type { JsonObject } from '../support/source/json.ts'

/*
 * One semantics: for random contracts, random logs and random advances, the live service on a test clock, the
 * simulation and the back-test agree on every event, every transition with its time, and the final state.
 */

const START = Date.parse('2026-01-01T00:00:00Z')
const MINUTES = 90
const timeAt = (second: number) => new Date(START + second * 1000).toISOString()

const { api } = await sharedService()
const customer_id = await api.customer('acme')

/** Windows about as long as the time between events, with whole and broken minutes. */
const contract: fc.Arbitrary<Contract> = fc
  .tuple(
    arbitrary.contract,
    fc.constantFrom(1e-7, 0.5, 30, 60, 61.25, 300, 1800, 100_000),
    fc.constantFrom(0, 1e-7, 0.001, 30, 60, 119.5, 600),
  )
  .map(([terms, activity_window, review_window]) => ({ ...terms, activity_window, review_window }))

/** At which of the clock's stops, and with which id: a repeated one is a replay or a conflict. */
const event = fc
  .tuple(arbitrary.submission, fc.nat({ max: 7 }), fc.nat({ max: 5 }))
  .map(([fields, stop, id]) => ({ stop, body: { ...fields, id: `e${id}` } as JsonObject }))

/** Every other log repeats no id, as the logs of the back-test, which have none. */
const events = fc
  .tuple(fc.array(event, { maxLength: 7 }), fc.boolean())
  .map(([list, repeats]) =>
    repeats ? list : list.map(({ stop, body }, i) => ({ stop, body: { ...body, id: `e${i}` } })),
  )

interface Case {
  contract: Contract
  events: { stop: number; body: JsonObject }[]
}
/** Claims that live on one clock: they share its advances, each with a contract and a log of its own. */
const groupOf = (claims: number) =>
  fc.record({
    stops: fc.uniqueArray(
      fc.oneof(
        fc.nat({ max: MINUTES * 60 }),
        fc.nat({ max: MINUTES }).map((m) => m * 60),
      ),
      {
        minLength: 8,
        maxLength: 8,
      },
    ),
    end: fc.nat({ max: 3 * MINUTES * 60 }),
    cases: fc.array(fc.record({ contract, events }), {
      minLength: claims,
      maxLength: claims,
    }),
  })

/** What both tell of a claim: each event's fate, each transition with its time, where it ends. */
interface Story {
  events: string[]
  transitions: string[]
  final: string
}

export function testOneSemantics({ clocks, claims }: { clocks: number; claims: number }): void {
  test(`the live service on a test clock, the simulation and the back-test tell the same story of ${clocks * claims} claims`, async () => {
    await fc.assert(
      fc.asyncProperty(groupOf(claims), async ({ stops, end, cases }) => {
        const instants = stops.sort((a, b) => a - b)
        const until = Math.max(end, instants.at(-1) as number)
        const live = await liveStories(cases, instants, until)
        const simulated = await Promise.all(cases.map((one) => simulatedStory(one, instants, until)))
        for (const [i, story] of simulated.entries()) {
          assert.deepEqual(
            live[i],
            story,
            JSON.stringify({ case: cases[i], instants: instants.map(timeAt), until: timeAt(until) }),
          )
          assertBacktestAgrees(cases[i] as Case, story, instants, until)
        }
      }),
      { numRuns: clocks, endOnFailure: true },
    )
  })
}

async function liveStories(cases: Case[], instants: number[], until: number): Promise<Story[]> {
  const { id: clock } = (await api.post('/v1/test_clocks', { frozen_time: timeAt(0) })).body
  const ids = await Promise.all(
    cases.map(
      async ({ contract }) =>
        (await api.post('/v1/claims', { customer_id, contract, test_clock_id: clock })).body.id,
    ),
  )
  const fates: string[][] = cases.map(() => [])
  for (const [stop, instant] of instants.entries()) {
    await advance(clock, instant)
    await Promise.all(
      cases.map(async ({ events }, i) => {
        for (const { body } of events.filter((event) => event.stop === stop)) {
          fates[i]?.push(fateOf(await api.post(`/v1/claims/${ids[i]}/events`, body)))
        }
      }),
    )
  }
  await advance(clock, until)
  return Promise.all(ids.map(async (id, i) => ({ events: fates[i] as string[], ...(await readStory(id)) })))
}

async function advance(clock: string, second: number): Promise<void> {
  const { status } = await api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: timeAt(second) })
  assert.equal(status, 200)
}

const fateOf = ({ status, body }: Answer): string =>
  status < 300 ? (status === 200 ? 'replayed' : 'accepted') : body.error.code

async function readStory(id: string): Promise<Omit<Story, 'events'>> {
  const [claim, explanation] = await Promise.all([api.readClaim(id), api.get(`/v1/claims/${id}/explanation`)])
  return { transitions: explanation.body.transitions.map(tell), final: tellState(claim) }
}

async function simulatedStory({ contract, events }: Case, instants: number[], until: number): Promise<Story> {
  const { status, body } = await api.post('/v1/simulations', {
    contract,
    opened_at: timeAt(0),
    until: timeAt(until),
    events: events.map(({ stop, body }) => ({ ...body, at: timeAt(instants[stop] as number) })),
  })
  assert.equal(status, 200, JSON.stringify(body))
  const entries: { kind: string; accepted: boolean; replayed?: boolean; code: string }[] = body.timeline
  return {
    events: entries
      .filter(({ kind }) => kind === 'event')
      .map(({ accepted, replayed, code }) => (accepted ? (replayed ? 'replayed' : 'accepted') : code)),
    transitions: body.timeline.filter(({ kind }: { kind: string }) => kind === 'transition').map(tell),
    final: tellState(body.final),
  }
}

interface Transition {
  from: string
  to: string
  at: string
  because: { window_elapsed?: string; event_id?: string }
}
const tell = ({ from, to, at, because }: Transition) =>
  `${at} ${from} -> ${to} by ${because.window_elapsed ?? because.event_id}`

const tellState = (state: Record<string, string | null>) =>
  [state.status, state.scheduled_outcome, state.status_since, state.due_at].join(' ')

/** The back-test gives each row an id of its own, so logs that repeat one are not for it. */
function assertBacktestAgrees(one: Case, story: Story, instants: number[], until: number): void {
  const ids = one.events.map(({ body }) => body.id)
  if (new Set(ids).size < ids.length) return
  const rows = one.events
    .map(({ stop, body: { id, type, ...payload } }) => ({
      id: id as string,
      type: type as string,
      at: START + (instants[stop] as number) * 1000,
      payload,
      payloadBytes: JSON.stringify(payload).length,
    }))
    .sort((a, b) => a.at - b.at)
    .map((row, line) => ({ ...row, line }))
  const result = runCase(one.contract, { id: 'case', openedAt: START, events: rows }, START + until * 1000)
  assert.ok(result)

  const late = new Set(result.late.map(({ line }) => line))
  const fates = rows.map(({ line }) => (late.has(line) ? 'CLAIM_NOT_OPEN' : 'accepted'))
  const [toPending, toEnd] = story.transitions
  assert.deepEqual(fates, story.events)
  assert.equal(result.accepted.length, fates.filter((fate) => fate === 'accepted').length)
  assert.equal(result.status, story.final.split(' ')[0])
  assert.equal(result.resolvedAt, toEnd ? Date.parse(toEnd.split(' ')[0] as string) : null)
  assert.equal(
    result.decidedBy,
    toPending ? (toPending.endsWith(' activity_window') ? 'window' : 'events') : null,
  )
}
