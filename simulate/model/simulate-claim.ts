import { ClaimModel, type Effect } from './claim-model.ts'
import { type Contract, firstCheckOf, type State } from './contract.ts'
import { canonical, type JsonObject } from './json.ts'
import type { WorkingHours } from './working-time.ts'

/** An event with its time. */
export interface TimedEvent {
  at: number
  id: string
  type: string
  payload: JsonObject
}

/** A missing id is generated from the position in the list, with ' appended until it is unique. */
export function withIds(events: readonly (Omit<TimedEvent, 'id'> & { id: string | null })[]): TimedEvent[] {
  const given = new Set(events.map(({ id }) => id))
  return events.map((event, i) => {
    let id = event.id ?? `event-${i + 1}`
    while (event.id === null && given.has(id)) id += "'"
    return { ...event, id }
  })
}

export interface SimulatedClaim {
  timeline: JsonObject[]
  final: State
}

/**
 * §4.7: simulates a claim under this contract. At each instant the check comes first, then the events in the given
 * order.
 * @param until null: until nothing is due
 * @param hours of the calendar that the contract names
 */
export function simulateClaim(
  contract: Contract,
  openedAt: number,
  events: readonly TimedEvent[],
  until: number | null,
  hours: WorkingHours | null = null,
): SimulatedClaim {
  const model = new ClaimModel(contract, openedAt, hours)
  const timeline: JsonObject[] = []
  const log = new Map<string, TimedEvent>()
  const byTime = events.filter(({ at }) => until === null || at <= until).toSorted((a, b) => a.at - b.at)
  for (const event of byTime) {
    timeline.push(...passTime(model, event.at), ...take(model, log, event))
  }
  timeline.push(...passTime(model, until ?? Infinity))
  return { timeline, final: model.state }
}

const iso = (at: number) => new Date(at).toISOString()

const move = (from: State, to: State, because: JsonObject): JsonObject => ({
  kind: 'transition',
  at: iso(to.status_since),
  from: from.status,
  to: to.status,
  because,
})

function passTime(model: ClaimModel, until: number): JsonObject[] {
  const moves: JsonObject[] = []
  while (model.state.due_at !== null && firstCheckOf(model.state) <= until) {
    const from = model.state
    model.elapse(firstCheckOf(from))
    const window_elapsed = from.status === 'PENDING' ? 'review_window' : 'activity_window'
    moves.push(move(from, model.state, { window_elapsed }))
  }
  return moves
}

function take(model: ClaimModel, log: Map<string, TimedEvent>, timedEvent: TimedEvent): JsonObject[] {
  const { at, id, type, payload } = timedEvent
  const event = { ...payload, id, type, created_at: iso(at), system: false }
  const entry = (result: JsonObject): JsonObject => ({ kind: 'event', at: iso(at), event, ...result })
  const earlier = log.get(id)
  if (earlier) {
    const isSame = earlier.type === type && canonical(earlier.payload) === canonical(payload)
    return [
      entry(isSame ? { accepted: true, replayed: true } : { accepted: false, code: 'EVENT_ID_CONFLICT' }),
    ]
  }
  const from = model.state
  const result = model.submit({ type, payload, system: false }, at)
  if (result.kind === 'not open') return [entry({ accepted: false, code: 'CLAIM_NOT_OPEN' })]
  if (result.kind === 'log full') return [entry({ accepted: false, code: 'EVENT_LIMIT_REACHED' })]
  log.set(id, timedEvent)
  const moves = result.effect === 'satisfied' ? [move(from, model.state, { event_id: id })] : []
  return [entry({ accepted: true, ...effectFields(result) }), ...moves]
}

/** §4.7: the transition, not the event, reports a satisfied condition. */
const effectFields = ({ effect, lateMs }: { effect: Effect; lateMs: number | null }): JsonObject => ({
  ...(effect === null || effect === 'satisfied' ? {} : { effect }),
  ...(lateMs === null ? {} : { late_by: lateMs / 1000 }),
})
