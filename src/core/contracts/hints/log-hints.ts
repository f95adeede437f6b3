import { parsed } from '../../../kernel/json.ts'
import { type LogEvent, RESERVED_TYPES } from '../../claims/event.ts'
import { MAX_COMPARED_VALUES, MAX_HINT_EVENTS, MAX_LOG_HINTS, MAX_OTHER_EVENT_TYPES } from '../../limits.ts'
import { compile } from '../compiled-condition.ts'
import { type Condition, type Leaf, leavesOf } from '../condition.ts'
import { ROOT } from './hints.ts'
import { leafPlaces } from './known-leaves.ts'
import { NearMisses } from './near-misses.ts'
import { differenceInWords, type Lookalike, Lookalikes, quoted } from './spelling.ts'

export const LOG_HINT_CODES = ['event_type_lookalike', 'value_mismatch'] as const

/** A hint to recorded events that narrowly miss the condition, and so may not be what their sender meant. */
export interface LogHint {
  code: (typeof LOG_HINT_CODES)[number]
  /** The leaf's path in the contract: `fulfillment_condition.conditions[1]`. */
  path: string
  message: string
  /** The ids of the first events. */
  event_ids: string[]
}

interface Missed {
  misses: NearMisses
  /** The reason of the first event. */
  why: string
  ids: string[]
}

/** Collects hints while the events of a log are added one by one. */
export class LogHints {
  readonly #condition: Condition
  readonly #leaves: ReadonlyMap<string, readonly Leaf[]>
  readonly #missed = new Map<Leaf, Missed>()
  readonly #otherTypes = new Map<string, string[]>()
  #valuesLeft = MAX_COMPARED_VALUES

  constructor(condition: Condition) {
    this.#condition = condition
    this.#leaves = Map.groupBy(new Set(leavesOf(condition)), ({ event }) => event)
  }

  /** @param satisfied leaves, including those that this event satisfies: they get no hint */
  add(event: Pick<LogEvent, 'id' | 'type' | 'payload'>, satisfied: { has: (leaf: Leaf) => boolean }): void {
    const leaves = this.#leaves.get(event.type)
    if (!leaves) this.addType(event.type, [event.id])
    else if (this.#valuesLeft > 0)
      this.#compare(
        event,
        leaves.filter((leaf) => !satisfied.has(leaf)),
      )
  }

  /** Events of a type that the condition does not name. */
  addType(type: string, ids: readonly string[]): void {
    const known = this.#otherTypes.get(type)
    if (known) known.push(...ids.slice(0, MAX_HINT_EVENTS - known.length))
    else if (this.#otherTypes.size < MAX_OTHER_EVENT_TYPES)
      this.#otherTypes.set(type, ids.slice(0, MAX_HINT_EVENTS))
  }

  #compare({ id, payload: json }: Pick<LogEvent, 'id' | 'payload'>, leaves: readonly Leaf[]): void {
    const payload = parsed(json)
    for (const leaf of leaves) {
      const missed = this.#missed.get(leaf) ?? { misses: new NearMisses(leaf), why: '', ids: [] }
      this.#missed.set(leaf, missed)
      if (missed.ids.length === MAX_HINT_EVENTS) continue
      const before = missed.misses.compared
      const why = missed.misses.whyMissed(payload)
      this.#valuesLeft -= missed.misses.compared - before
      if (why === null) continue
      if (missed.ids.length === 0) missed.why = why
      missed.ids.push(id)
    }
  }

  /** @param satisfied leaves: they get a hint only for types that differ by invisible characters */
  hints(satisfied: { has: (leaf: Leaf) => boolean }): LogHint[] {
    const places = leafPlaces(this.#condition, ROOT)
    const values = places.flatMap(({ leaf, path }) => {
      const missed = satisfied.has(leaf) ? undefined : this.#missed.get(leaf)
      return missed && missed.ids.length > 0 ? [valueHint(missed, path)] : []
    })
    const wanted = new Lookalikes([...this.#leaves.keys(), ...RESERVED_TYPES])
    const types = this.#otherTypes.entries().flatMap(([type, ids]): LogHint[] => {
      const lookalike = wanted.find(type)
      if (!lookalike) return []
      const named = places.filter(({ leaf }) => leaf.event === lookalike.text)
      if (lookalike.by !== 'hidden' && named.every(({ leaf }) => satisfied.has(leaf))) return []
      return [typeHint(type, ids, lookalike, named[0]?.path ?? ROOT)]
    })
    return [...types, ...values].slice(0, MAX_LOG_HINTS)
  }
}

const valueHint = ({ why, ids }: Missed, path: string): LogHint => ({
  code: 'value_mismatch',
  path,
  message: `${eventsInWords(ids)} not satisfy this: ${ids.length === 1 ? 'it' : 'the first'} has ${why}.`,
  event_ids: ids,
})

const typeHint = (type: string, ids: string[], { text, by }: Lookalike, path: string): LogHint => ({
  code: 'event_type_lookalike',
  path,
  message: `${eventsInWords(ids)} not count as ${quoted(text)}: the type ${quoted(type)} differs from it only by ${differenceInWords(type, text, by)}.`,
  event_ids: ids,
})

function eventsInWords(ids: readonly string[]): string {
  if (ids.length === 1) return `The event ${quoted(ids[0] as string)} does`
  const count = ids.length === MAX_HINT_EVENTS ? `${ids.length} or more` : ids.length
  return `${count} events, ${quoted(ids[0] as string)} first, do`
}

/** Hints to these events. Yields after each event. */
export function* findLogHints(
  condition: Condition,
  events: Iterable<Pick<LogEvent, 'id' | 'type' | 'payload'>>,
): Generator<void, LogHint[]> {
  const hints = new LogHints(condition)
  const compiled = compile(condition)
  const satisfied = new Set<Leaf>()
  for (const event of events) {
    for (const leaf of compiled.leavesSatisfiedBy(event)) satisfied.add(leaf)
    hints.add(event, satisfied)
    yield
  }
  return hints.hints(satisfied)
}
