import { parsed } from '../../../kernel/json.ts'
import { type LogEvent, RESERVED_TYPES } from '../../claims/event.ts'
import {
  MAX_COMPARED_TYPES,
  MAX_COMPARED_VALUES,
  MAX_HINT_EVENTS,
  MAX_LOG_HINTS,
  MAX_OTHER_EVENT_TYPES,
} from '../../limits.ts'
import { compile } from '../compiled-condition.ts'
import type { Leaf } from '../condition.ts'
import { type Contract, conditionsByPath } from '../contract.ts'
import { type LeafPlace, leafPlaces } from './known-leaves.ts'
import { NearMisses } from './near-misses.ts'
import { SimilarNames } from './similar-names.ts'
import { differenceInWords, type Lookalike, Lookalikes, quoted } from './spelling.ts'

export const LOG_HINT_CODES = ['event_type_lookalike', 'event_type_unnamed', 'value_mismatch'] as const

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

/** Leaves that a log has satisfied. */
interface Satisfied {
  has: (leaf: Leaf) => boolean
}

type Shown = Pick<LogEvent, 'id' | 'type' | 'payload'>

/** Collects hints while the events of a log are added one by one. */
export class LogHints {
  readonly #places: readonly LeafPlace[]
  /** Leaves by event type: of the conditions that are evaluated while OPEN, and of those in review. */
  readonly #leaves: Record<'open' | 'review', ReadonlyMap<string, readonly Leaf[]>>
  readonly #named: ReadonlySet<string>
  readonly #missed = new Map<Leaf, Missed>()
  readonly #otherTypes = new Map<string, string[]>()
  #valuesLeft = MAX_COMPARED_VALUES

  constructor(contract: Contract) {
    this.#places = conditionsByPath(contract).flatMap(([path, condition]) => leafPlaces(condition, path))
    const isOfReview = ({ path }: LeafPlace) => path.startsWith('review.')
    this.#leaves = {
      open: byType(this.#places.filter((place) => !isOfReview(place))),
      review: byType(this.#places.filter(isOfReview)),
    }
    this.#named = new Set(this.#places.map(({ leaf }) => leaf.event))
  }

  /** @param satisfied leaves, including those that this event satisfies: they get no hint */
  add(event: Shown, satisfied: Satisfied, status: 'open' | 'review' = 'open'): void {
    const leaves = this.#leaves[status].get(event.type)
    if (!this.#named.has(event.type)) this.addType(event.type, [event.id])
    else if (leaves && this.#valuesLeft > 0)
      this.#compare(
        event,
        leaves.filter((leaf) => !isDone(leaf, satisfied)),
      )
  }

  /** Events of a type that the contract does not name. */
  addType(type: string, ids: readonly string[]): void {
    const known = this.#otherTypes.get(type)
    if (known) known.push(...ids.slice(0, MAX_HINT_EVENTS - known.length))
    else if (this.#otherTypes.size < MAX_OTHER_EVENT_TYPES)
      this.#otherTypes.set(type, ids.slice(0, MAX_HINT_EVENTS))
  }

  #compare({ id, payload: json }: Shown, leaves: readonly Leaf[]): void {
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
  hints(satisfied: Satisfied): LogHint[] {
    const values = this.#places.flatMap(({ leaf, path }) => {
      const missed = isDone(leaf, satisfied) ? undefined : this.#missed.get(leaf)
      return missed && missed.ids.length > 0 ? [valueHint(leaf, missed, path)] : []
    })
    return [...this.#typeHints(satisfied), ...values].slice(0, MAX_LOG_HINTS)
  }

  #typeHints(satisfied: Satisfied): LogHint[] {
    const wanted = new Lookalikes([...this.#named, ...RESERVED_TYPES])
    const similar = new SimilarNames(this.#named)
    let comparisonsLeft = MAX_COMPARED_TYPES
    const hints: LogHint[] = []
    for (const [type, ids] of this.#otherTypes) {
      if (hints.length === MAX_LOG_HINTS) break
      const lookalike = wanted.find(type)
      if (!lookalike) comparisonsLeft -= this.#named.size
      const meant = lookalike?.text ?? (comparisonsLeft >= 0 ? similar.find(type) : null)
      if (meant === null) continue
      const named = this.#places.filter(({ leaf }) => leaf.event === meant)
      if (lookalike?.by !== 'hidden' && named.every(({ leaf }) => isDone(leaf, satisfied))) continue
      const path = named[0]?.path ?? 'fulfillment_condition'
      hints.push(lookalike ? typeHint(type, ids, lookalike, path) : slipHint(type, ids, meant, path))
    }
    return hints
  }
}

const byType = (places: readonly LeafPlace[]): Map<string, Leaf[]> =>
  Map.groupBy(new Set(places.map(({ leaf }) => leaf)), ({ event }) => event)

/** An aggregate is never done: it may leave out an event even if its value is within the bounds. */
const isDone = (leaf: Leaf, satisfied: Satisfied): boolean =>
  leaf.aggregate === undefined && satisfied.has(leaf)

const valueHint = ({ aggregate }: Leaf, { why, ids }: Missed, path: string): LogHint => ({
  code: 'value_mismatch',
  path,
  message: `${eventsInWords(ids)} not ${aggregate === undefined ? 'satisfy this' : 'count here'}: ${ids.length === 1 ? 'it' : 'the first'} has ${why}.`,
  event_ids: ids,
})

const typeHint = (type: string, ids: string[], { text, by }: Lookalike, path: string): LogHint => ({
  code: 'event_type_lookalike',
  path,
  message: `${eventsInWords(ids)} not count as ${quoted(text)}: the type ${quoted(type)} differs from it only by ${differenceInWords(type, text, by)}.`,
  event_ids: ids,
})

const slipHint = (type: string, ids: string[], meant: string, path: string): LogHint => ({
  code: 'event_type_unnamed',
  path,
  message: `${eventsInWords(ids)} not count: the contract does not name the type ${quoted(type)}. Perhaps ${quoted(meant)} is meant.`,
  event_ids: ids,
})

function eventsInWords(ids: readonly string[]): string {
  if (ids.length === 1) return `The event ${quoted(ids[0] as string)} does`
  const count = ids.length === MAX_HINT_EVENTS ? `${ids.length} or more` : ids.length
  return `${count} events, ${quoted(ids[0] as string)} first, do`
}

/** Hints to these events. Yields after each event. */
export function* findLogHints(
  contract: Contract,
  events: Iterable<Shown & { isInReview?: boolean }>,
): Generator<void, LogHint[]> {
  const hints = new LogHints(contract)
  const { fulfillment_condition, review, clock } = contract
  const satisfied = new Set<Leaf>()
  for (const event of events) {
    const conditions = event.isInReview
      ? [review?.reversal_condition, review?.restart_on]
      : [fulfillment_condition, clock?.pause_on, clock?.resume_on]
    for (const condition of conditions) {
      if (condition) for (const leaf of compile(condition).leavesSatisfiedBy(event)) satisfied.add(leaf)
    }
    hints.add(event, satisfied, event.isInReview ? 'review' : 'open')
    yield
  }
  return hints.hints(satisfied)
}
