import { type Evidence, isSatisfied } from './condition.ts'
import { type Contract, firstCheckOf, opened, pending, resolved, type State } from './contract.ts'
import { canonical, type JsonObject } from './json.ts'
import { MOST_EVENTS } from './replay.ts'

/** An event at its time. */
export interface Planned {
  at: number
  id: string
  type: string
  payload: JsonObject
}

/** Where none is given it is by the place in the list, with as many ' behind it as make it unlike all that are given. */
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
 * order given. @param until null: until nothing is due any more
 */
export function liveOut(
  contract: Contract,
  openedAt: number,
  events: readonly Planned[],
  until: number | null,
): Life {
  const life: Life = { timeline: [], final: opened(contract, openedAt) }
  const log: Planned[] = []
  const byTime = events.filter(({ at }) => until === null || at <= until).toSorted((a, b) => a.at - b.at)
  for (const event of byTime) {
    passTime(life, contract, event.at)
    take(life, contract, log, event)
  }
  passTime(life, contract, until ?? Infinity)
  return life
}

const iso = (at: number) => new Date(at).toISOString()

function move(life: Life, to: State, because: JsonObject): void {
  const { final: from } = life
  const at = iso(to.status_since)
  life.timeline.push({ kind: 'transition', at, from: from.status, to: to.status, because })
  life.final = to
}

function passTime(life: Life, contract: Contract, until: number): void {
  while (life.final.due_at !== null && firstCheckOf(life.final) <= until) {
    const at = firstCheckOf(life.final)
    if (life.final.status === 'PENDING') {
      move(life, resolved(life.final, at), { window_elapsed: 'review_window' })
    } else {
      const outcome = contract.timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'
      move(life, pending(contract, outcome, at), { window_elapsed: 'activity_window' })
    }
  }
}

function take(life: Life, contract: Contract, log: Planned[], planned: Planned): void {
  const { at, id, type, payload } = planned
  const event = { ...payload, id, type, created_at: iso(at), system: false }
  const tell = (fate: JsonObject) => life.timeline.push({ kind: 'event', at: iso(at), event, ...fate })
  const earlier = log.find((other) => other.id === id)
  if (earlier) {
    const isSame = earlier.type === type && canonical(earlier.payload) === canonical(payload)
    tell(isSame ? { accepted: true, replayed: true } : { accepted: false, code: 'EVENT_ID_CONFLICT' })
  } else if (life.final.status !== 'OPEN') tell({ accepted: false, code: 'CLAIM_NOT_OPEN' })
  else if (log.length >= MOST_EVENTS) tell({ accepted: false, code: 'EVENT_LIMIT_REACHED' })
  else {
    log.push(planned)
    tell({ accepted: true })
    const evidence = log.map((event): Evidence => ({ ...event, system: false }))
    if (isSatisfied(contract.fulfillment_condition, evidence)) {
      move(life, pending(contract, 'CONFIRMED', at), { event_id: id })
    }
  }
}
