import { type Contract, firstCheckOf, type State } from './contract.ts'
import { Course, type Effect } from './course.ts'
import { canonical, type JsonObject } from './json.ts'
import type { Hours } from './working-time.ts'

/** An event with its time. */
export interface Planned {
  at: number
  id: string
  type: string
  payload: JsonObject
}

/** A missing id is made from the place in the list, with as many ' as make it unique. */
export function withIds(events: readonly (Omit<Planned, 'id'> & { id: string | null })[]): Planned[] {
  const given = new Set(events.map(({ id }) => id))
  return events.map((event, i) => {
    let id = event.id ?? `event-${i + 1}`
    while (event.id === null && given.has(id)) id += "'"
    return { ...event, id }
  })
}

export interface Life {
  timeline: JsonObject[]
  final: State
}

/**
 * §4.7: the complete course of a claim under this contract. At each instant the check comes first, then the events in the
 * order given.
 * @param until null: until nothing is due any more
 * @param hours of the calendar that the contract names
 */
export function liveOut(
  contract: Contract,
  openedAt: number,
  events: readonly Planned[],
  until: number | null,
  hours: Hours | null = null,
): Life {
  const course = new Course(contract, openedAt, hours)
  const timeline: JsonObject[] = []
  const log = new Map<string, Planned>()
  const byTime = events.filter(({ at }) => until === null || at <= until).toSorted((a, b) => a.at - b.at)
  for (const event of byTime) {
    timeline.push(...passTime(course, event.at), ...take(course, log, event))
  }
  timeline.push(...passTime(course, until ?? Infinity))
  return { timeline, final: course.state }
}

const iso = (at: number) => new Date(at).toISOString()

const move = (from: State, to: State, because: JsonObject): JsonObject => ({
  kind: 'transition',
  at: iso(to.status_since),
  from: from.status,
  to: to.status,
  because,
})

function passTime(course: Course, until: number): JsonObject[] {
  const moves: JsonObject[] = []
  while (course.state.due_at !== null && firstCheckOf(course.state) <= until) {
    const from = course.state
    course.elapse(firstCheckOf(from))
    const window_elapsed = from.status === 'PENDING' ? 'review_window' : 'activity_window'
    moves.push(move(from, course.state, { window_elapsed }))
  }
  return moves
}

function take(course: Course, log: Map<string, Planned>, planned: Planned): JsonObject[] {
  const { at, id, type, payload } = planned
  const event = { ...payload, id, type, created_at: iso(at), system: false }
  const entry = (fate: JsonObject): JsonObject => ({ kind: 'event', at: iso(at), event, ...fate })
  const earlier = log.get(id)
  if (earlier) {
    const isSame = earlier.type === type && canonical(earlier.payload) === canonical(payload)
    return [
      entry(isSame ? { accepted: true, replayed: true } : { accepted: false, code: 'EVENT_ID_CONFLICT' }),
    ]
  }
  const from = course.state
  const fate = course.submit({ type, payload, system: false }, at)
  if (fate.is === 'not open') return [entry({ accepted: false, code: 'CLAIM_NOT_OPEN' })]
  if (fate.is === 'log full') return [entry({ accepted: false, code: 'EVENT_LIMIT_REACHED' })]
  log.set(id, planned)
  const moves = fate.effect === 'satisfied' ? [move(from, course.state, { event_id: id })] : []
  return [entry({ accepted: true, ...told(fate) }), ...moves]
}

/** §4.7: the transition, not the event, reports a satisfied condition. */
const told = ({ effect, lateMs }: { effect: Effect; lateMs: number | null }): JsonObject => ({
  ...(effect === null || effect === 'satisfied' ? {} : { effect }),
  ...(lateMs === null ? {} : { late_by: lateMs / 1000 }),
})
