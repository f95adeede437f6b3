import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Answer } from '../support/api-client.ts'
import * as arbitrary from '../support/arbitraries.ts'
import { sharedService } from '../support/shared.ts'
import { runCase } from '../support/source/backtest.ts'
import { ClaimRun } from '../support/source/claims.ts'
import type { Contract, ReviewTerms } from '../support/source/contracts.ts'
import type { JsonObject } from '../support/source/json.ts'

/*
 * One semantics: for random contracts, random logs and random advances, the live service on a test clock, the
 * simulation and the back-test agree on every event and its lateness, every transition with its time, and the final
 * state. A claim run in memory says how each event leaves the claim.
 */

const START = Date.parse('2026-01-01T00:00:00Z')
const MINUTES = 90
const timeAt = (second: number) => new Date(START + second * 1000).toISOString()

const { api } = await sharedService()
const customer_id = await api.customer('acme')

/** Windows about as long as the time between events, with whole and broken minutes. */
const withWindows = (
  terms: fc.Arbitrary<Contract>,
  activity = [1e-7, 0.5, 30, 60, 61.25, 300, 1800, 100_000],
  reviews = [0, 1e-7, 0.001, 30, 60, 119.5, 600],
): fc.Arbitrary<Contract> =>
  fc
    .tuple(
      terms,
      fc.constantFrom(...activity),
      fc.constantFrom(...reviews),
      fc.constantFrom(0, 30.5, 600, 3600),
    )
    .map(([{ review, ...terms }, activity_window, review_window, longer]) => ({
      ...terms,
      activity_window,
      review_window,
      ...(review === undefined ? {} : { review: withDuration(review, review_window + longer) }),
    }))

const withDuration = (review: ReviewTerms, max_duration: number): ReviewTerms =>
  review.restart_on === undefined ? review : { ...review, max_duration }

/** At which of the clock's stops, and with which id: a repeated one is a replay or a conflict. */
const event = fc
  .tuple(arbitrary.submission, fc.nat({ max: 7 }), fc.nat({ max: 5 }))
  .map(([fields, stop, id]) => ({ stop, body: { ...fields, id: `e${id}` } as JsonObject }))

/** Every other log repeats no id. */
const events = fc
  .tuple(fc.array(event, { maxLength: 10 }), fc.boolean())
  .map(([list, repeats]) =>
    repeats ? list : list.map(({ stop, body }, i) => ({ stop, body: { ...body, id: `e${i}` } })),
  )

interface Case {
  contract: Contract
  events: { stop: number; body: JsonObject }[]
}
const second = fc.oneof(
  fc.nat({ max: MINUTES * 60 }),
  fc.nat({ max: MINUTES }).map((minute) => minute * 60),
)

/**
 * Claims that live on one clock: they share its advances, each with a contract and a log of its own. Half of the clock's
 * stops come as long after another one as a window, so that some events are late.
 */
const groupOf = (claims: number, contract: fc.Arbitrary<Contract>) =>
  fc.record({
    stops: fc
      .array(fc.tuple(second, fc.constantFrom(1, 30, 60, 600, 600, 1750), fc.nat({ max: 20 })), {
        minLength: 4,
        maxLength: 4,
      })
      .map((pairs) => pairs.flatMap(([first, window, late]) => [first, first + window + late]))
      .filter((stops) => new Set(stops).size === stops.length),
    end: fc.nat({ max: 3 * MINUTES * 60 }),
    cases: fc.array(fc.record({ contract, events }), {
      minLength: claims,
      maxLength: claims,
    }),
  })

/** What all tell of a claim: each event's fate, each transition with its time, where it ends. */
interface Story {
  events: string[]
  transitions: string[]
  final: string
}

const CONTRACTS = {
  'the five fields': withWindows(arbitrary.contract),
  'review, deadline and aggregates': fc.oneof(
    { weight: 1, arbitrary: withWindows(arbitrary.extendedContract) },
    {
      weight: 3,
      arbitrary: withWindows(arbitrary.livelyContract, [60, 600, 100_000, 100_000], [60, 599.5, 600, 1750]),
    },
  ),
}

export function testOneSemantics(size: { clocks: number; claims: number }): void {
  for (const [name, contract] of Object.entries(CONTRACTS)) testContracts(name, contract, size)
}

function testContracts(
  name: string,
  contract: fc.Arbitrary<Contract>,
  { clocks, claims }: { clocks: number; claims: number },
): void {
  test(`the live service on a test clock, the simulation and the back-test tell the same story of ${clocks * claims} claims (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(groupOf(claims, contract), async ({ stops, end, cases }) => {
        const instants = stops.sort((a, b) => a - b)
        const until = Math.max(end, instants.at(-1) as number)
        const live = await liveStories(cases, instants, until)
        const simulated = await Promise.all(cases.map((one) => simulatedStory(one, instants, until)))
        for (const [i, story] of simulated.entries()) {
          const found = JSON.stringify({
            case: cases[i],
            instants: instants.map(timeAt),
            until: timeAt(until),
          })
          const { states, ...rest } = live[i] as LiveStory
          assert.deepEqual(rest, story, found)
          assert.deepEqual(states, statesOf(cases[i] as Case, instants), found)
          assertBacktestAgrees(cases[i] as Case, story, instants, until)
        }
      }),
      { numRuns: clocks, endOnFailure: true },
    )
  })
}

interface LiveStory extends Story {
  /** After each accepted event. */
  states: string[]
}

async function liveStories(cases: Case[], instants: number[], until: number): Promise<LiveStory[]> {
  const { id: clock } = (await api.post('/v1/test_clocks', { frozen_time: timeAt(0) })).body
  const ids = await Promise.all(
    cases.map(
      async ({ contract }) =>
        (await api.post('/v1/claims', { customer_id, contract, test_clock_id: clock })).body.id,
    ),
  )
  const fates: string[][] = cases.map(() => [])
  const states: string[][] = cases.map(() => [])
  for (const [stop, instant] of instants.entries()) {
    await advance(clock, instant)
    await Promise.all(
      cases.map(async ({ events }, i) => {
        for (const { body } of events.filter((event) => event.stop === stop)) {
          const answer = await api.post(`/v1/claims/${ids[i]}/events`, body)
          fates[i]?.push(fateOf(answer))
          if (answer.status === 201) states[i]?.push(tellState(answer.body.claim))
        }
      }),
    )
  }
  await advance(clock, until)
  return Promise.all(
    ids.map(async (id, i) => ({
      events: fates[i] as string[],
      states: states[i] as string[],
      ...(await readStory(id)),
    })),
  )
}

async function advance(clock: string, second: number): Promise<void> {
  const { status } = await api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: timeAt(second) })
  assert.equal(status, 200)
}

const fateOf = ({ status, body }: Answer): string =>
  status < 300 ? (status === 200 ? 'replayed' : accepted(body.late_by)) : body.error.code

const accepted = (lateBy: number | undefined) => (lateBy === undefined ? 'accepted' : `late by ${lateBy} s`)

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
  const entries: TimelineEvent[] = body.timeline
  return {
    events: entries
      .filter(({ kind }) => kind === 'event')
      .map((entry) =>
        entry.accepted ? (entry.replayed ? 'replayed' : accepted(entry.late_by)) : entry.code,
      ),
    transitions: body.timeline.filter(({ kind }: { kind: string }) => kind === 'transition').map(tell),
    final: tellState(body.final),
  }
}

interface TimelineEvent {
  kind: string
  accepted: boolean
  replayed?: boolean
  late_by?: number
  code: string
}

interface Transition {
  from: string
  to: string
  at: string
  because: { window_elapsed?: string; event_id?: string }
}
const tell = ({ from, to, at, because }: Transition) =>
  `${at} ${from} -> ${to} by ${because.window_elapsed ?? because.event_id}`

const tellState = ({ remaining, ...state }: Record<string, string | number | null>) =>
  [state.status, state.scheduled_outcome, state.status_since, state.due_at, remaining ?? ''].join(' ')

/** The log in the order of its times, as the core and the back-test take it. */
const rowsOf = ({ events }: Case, instants: number[]) =>
  events
    .map(({ stop, body: { id, type, ...payload } }) => ({
      id: id as string,
      type: type as string,
      at: START + (instants[stop] as number) * 1000,
      payload,
      payloadBytes: JSON.stringify(payload).length,
    }))
    .sort((a, b) => a.at - b.at)
    .map((row, line) => ({ ...row, line }))

/** How each recorded event leaves the claim, by a run in memory. */
function statesOf(one: Case, instants: number[]): string[] {
  const run = new ClaimRun(one.contract, new Date(START))
  return rowsOf(one, instants).flatMap(({ at, ...submission }) => {
    run.advanceTo(new Date(at))
    const { kind } = run.submit(submission, new Date(at))
    const { status, scheduledOutcome, statusSince, dueAt, clock } = run.state
    const state = tellState({
      status,
      scheduled_outcome: scheduledOutcome,
      status_since: statusSince.toISOString(),
      due_at: dueAt?.toISOString() ?? null,
      remaining: clock && dueAt === null ? clock.remainingMs / 1000 : null,
    })
    return kind === 'append' ? [state] : []
  })
}

function assertBacktestAgrees(one: Case, story: Story, instants: number[], until: number): void {
  const rows = rowsOf(one, instants)
  const result = runCase(one.contract, { id: 'case', openedAt: START, events: rows }, START + until * 1000)
  assert.ok(result)

  const recorded = result.accepted.map(({ id, lateMs }) => `${id} ${accepted(toSeconds(lateMs))}`)
  const fates = story.events.map((fate, i) => `${rows[i]?.id} ${fate}`)
  const [toPending, toEnd] = story.transitions
  assert.deepEqual(
    recorded,
    fates.filter((fate) => /accepted$|late by/.test(fate)),
  )
  assert.equal(result.repeated, fates.filter((fate) => /replayed$|EVENT_ID_CONFLICT$/.test(fate)).length)
  assert.equal(result.refused.claim_not_open, fates.filter((fate) => /CLAIM_NOT_OPEN$/.test(fate)).length)
  assert.equal(result.status, story.final.split(' ')[0])
  assert.equal(result.resolvedAt, toEnd ? Date.parse(toEnd.split(' ')[0] as string) : null)
  assert.equal(
    result.decidedBy,
    toPending ? (toPending.endsWith(' activity_window') ? 'window' : 'events') : null,
  )
}

const toSeconds = (ms: number | null | undefined) => (ms === null || ms === undefined ? undefined : ms / 1000)
