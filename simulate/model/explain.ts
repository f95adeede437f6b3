import { aggregateValues, textOf } from './aggregate.ts'
import { ClaimModel, type EventResult, namesOf } from './claim-model.ts'
import { type Condition, isMatchedBy, isSatisfied, type Leaf, valueAt } from './condition.ts'
import { type Contract, RUNNING, type State, type Window } from './contract.ts'
import { type Json, type JsonObject, same } from './json.ts'
import { type LogItem, payloadOf, type Terms, toLoggedEvent } from './replay.ts'
import { type WorkingHours, weekdayOf, workingTime } from './working-time.ts'

const MAX_NAMED = 10
const MAX_PERIODS = 100
const MAX_DATES = 100
const DAY_MS = 86_400_000

/** §4.1: the tree with the value of each node over the log, and the events that satisfy each leaf. */
function explained(condition: Condition, log: readonly LogItem[]): JsonObject {
  const evidence = log.map(toLoggedEvent)
  const satisfied = isSatisfied(condition, evidence)
  if ('event' in condition) {
    const named = condition.aggregate === undefined ? satisfying(condition, log) : counted(condition, log)
    return { ...condition, satisfied, ...named } as unknown as JsonObject
  }
  if (condition.op === 'NOT') return { op: 'NOT', satisfied, condition: explained(condition.condition, log) }
  return {
    op: condition.op,
    satisfied,
    conditions: condition.conditions.map((child) => explained(child, log)),
  }
}

const idsOf = (items: readonly LogItem[]) => items.slice(0, MAX_NAMED).map(({ id }) => id)

const satisfying = (leaf: Leaf, log: readonly LogItem[]): JsonObject => ({
  satisfied_by: idsOf(log.filter((item) => isSatisfied(leaf, [toLoggedEvent(item)]))),
})

/** §2.1a: the aggregate, the events that count, and the number of events without such a value. */
function counted(leaf: Leaf, log: readonly LogItem[]): JsonObject {
  const { aggregate = 'count', field = 'value' } = leaf
  const concerned = log.filter((item) => isMatchedBy(leaf, toLoggedEvent(item)))
  const fieldOf = (item: LogItem) => valueAt(payloadOf(item), field)
  const kinds = aggregate === 'sum' ? ['number'] : ['number', 'string', 'boolean']
  const counting = concerned.filter((item) => aggregate === 'count' || kinds.includes(typeof fieldOf(item)))
  return {
    satisfied_by: idsOf(counting),
    value: textOf(aggregateValues(aggregate, counting.map(fieldOf))),
    left_out: concerned.length - counting.length,
  }
}

/** Explains a claim's log, item by item. */
class LogExplanation {
  readonly #contract: Contract
  readonly #transitions: JsonObject[] = []
  readonly #open: LogItem[] = []
  readonly #review: LogItem[] = []
  readonly #restarts: JsonObject[] = []
  readonly #late: JsonObject[] = []
  #reversedBy: JsonObject | null = null
  /** The last state while PENDING. */
  #pending: State | null = null
  readonly #clock: ExplainedClock | null

  constructor({ contract, hours }: Terms, first: State) {
    this.#contract = contract
    this.#clock = contract.clock ? new ExplainedClock(contract, hours, first) : null
  }

  /** @param usedUp milliseconds of the activity window that were used up since its clock last started */
  note(item: LogItem, before: State, after: State, result: EventResult | null, usedUp: number): void {
    const { id, created_at: at } = item
    this.#clock?.note(item, before, after, result, usedUp)
    if (after.status !== before.status) {
      const window_elapsed = before.status === 'OPEN' ? 'activity_window' : 'review_window'
      const because = { event_id: id, ...(item.system ? { window_elapsed } : {}) }
      this.#transitions.push({ from: before.status, to: after.status, at, because })
    }
    if (after.status === 'PENDING') this.#pending = after
    if (result?.kind !== 'recorded') return
    const { effect, lateMs } = result
    if (lateMs !== null) this.#late.push({ event_id: id, late_by: lateMs / 1000 })
    if (lateMs === null || this.#contract.strict_deadline !== true)
      (before.status === 'OPEN' ? this.#open : this.#review).push(item)
    if (effect === 'reversed') this.#reversedBy = { event_id: id, at }
    if (effect === 'restarted') this.#restarts.push({ event_id: id, at, due_at: iso(after.due_at) })
  }

  get explanation(): JsonObject {
    const { fulfillment_condition, review } = this.#contract
    return {
      condition: explained(fulfillment_condition, this.#open),
      transitions: this.#transitions,
      ...(review && this.#pending ? { review: this.#reviewSince(this.#pending) } : {}),
      ...(this.#clock ? { clock: this.#clock.explained } : {}),
      ...(this.#late.length > 0
        ? { late_events: this.#late.slice(0, MAX_NAMED), late_event_count: this.#late.length }
        : {}),
    }
  }

  #reviewSince({ due_at, status_since }: State): JsonObject {
    const { reversal_condition, max_duration } = this.#contract.review ?? {}
    return {
      ...(reversal_condition ? { reversal_condition: explained(reversal_condition, this.#review) } : {}),
      reversed_by: this.#reversedBy,
      restarts: this.#restarts.slice(0, MAX_NAMED),
      restart_count: this.#restarts.length,
      due_at: iso(due_at),
      latest_due_at: max_duration === undefined ? null : iso(status_since + Math.round(max_duration * 1000)),
    }
  }
}

const iso = (at: number | null) => new Date(at as number).toISOString()

/** The spans that were counted and the dates that were skipped in the periods in which a window ran. */
function workingTimeUsed(
  hours: WorkingHours,
  ran: readonly (readonly [from: number, until: number])[],
): JsonObject {
  const time = workingTime(hours)
  const spans = new Set<number>()
  const dates = new Set<string>()
  for (const [from, until] of ran) {
    if (from >= until) continue
    for (const { begins } of time.pieces(from, until)) spans.add(begins)
    const last = time.dateAt(until - 1)
    for (let date = time.dateAt(from); date <= last; date = dayAfter(date)) dates.add(date)
  }
  const exceptions = [...dates].filter((date) => Object.hasOwn(hours.exceptions, date))
  const holidays = [...dates].filter(
    (date) =>
      hours.holidays.includes(date) &&
      !Object.hasOwn(hours.exceptions, date) &&
      (hours.weekly[weekdayOf(date)] ?? []).length > 0,
  )
  return {
    span_count: spans.size,
    holidays: holidays.slice(0, MAX_DATES),
    holiday_count: holidays.length,
    exceptions: exceptions.slice(0, MAX_DATES),
    exception_count: exceptions.length,
  }
}

const dayAfter = (date: string) => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10)

/** In which periods the clock ran. */
class ExplainedClock {
  readonly #contract: Contract
  readonly #hours: WorkingHours | null
  readonly #periods: JsonObject[] = []
  /** The periods in which each window ran. A period that has not ended ends when the window is due. */
  readonly #ran: Record<Window, [from: number, until: number][]> = { activity: [], review: [] }
  #shown: Pick<State, 'paused_since' | 'remaining'> = RUNNING

  constructor(contract: Contract, hours: WorkingHours | null, { status_since, due_at }: State) {
    this.#contract = contract
    this.#hours = hours
    this.#begin(iso(status_since), null)
    this.#ran.activity.push([status_since, due_at as number])
  }

  note(
    { id, created_at: at, system }: LogItem,
    before: State,
    after: State,
    result: EventResult | null,
    usedUp: number,
  ): void {
    if (after === before) return
    this.#noteRun(Date.parse(at), before, after, result)
    if (before.status !== 'OPEN') return
    const { status, paused_since = null, remaining = null } = after
    this.#shown = { paused_since, remaining }
    if (before.due_at === null) {
      if (status === 'OPEN') this.#begin(at, id)
      return
    }
    const paused_by = status === 'OPEN' && !system ? id : null
    this.#periods[this.#periods.length - 1] = {
      ...this.#periods.at(-1),
      to: at,
      paused_by,
      counted: usedUp / 1000,
    }
  }

  #noteRun(at: number, before: State, after: State, result: EventResult | null): void {
    const { activity, review } = this.#ran
    if (after.status === 'PENDING' && before.status === 'OPEN') review.push([at, after.due_at as number])
    if (result?.kind === 'recorded' && result.effect === 'restarted')
      review[0] = [before.status_since, after.due_at as number]
    if (before.status !== 'OPEN') return
    const last = activity.at(-1) as [number, number]
    if (before.due_at === null) {
      if (after.status === 'OPEN') activity.push([at, after.due_at as number])
    } else activity[activity.length - 1] = [last[0], Math.min(last[1], at)]
  }

  /** §4.1 */
  get #workingTime(): JsonObject[] {
    const hours = this.#hours
    if (!hours) return []
    return (this.#contract.clock?.applies_to ?? ['activity']).toSorted().flatMap((window) => {
      const ran = this.#ran[window]
      const [first, last] = [ran[0], ran.at(-1)]
      if (!first || !last) return []
      return {
        window: `${window}_window`,
        from: iso(first[0]),
        to: iso(last[1]),
        ...workingTimeUsed(hours, ran),
      }
    })
  }

  #begin(from: string, resumed_by: string | null): void {
    this.#periods.push({ from, resumed_by, to: null, paused_by: null, counted: null })
  }

  get explained(): JsonObject {
    const { paused_since = null, remaining = null } = this.#shown
    return {
      calendar: (this.#contract.clock?.calendar ?? null) as JsonObject | null,
      time_zone: this.#hours?.time_zone ?? null,
      time_zone_data: this.#hours ? (process.versions.tz as string) : null,
      periods: this.#periods.slice(0, MAX_PERIODS),
      period_count: this.#periods.length,
      working_time: this.#workingTime,
      paused_since: paused_since === null ? null : iso(paused_since),
      remaining,
    }
  }
}

/** The explanation of the log with `from` items, and of each longer log that changes the explanation. */
function* explanations(terms: Terms, log: readonly LogItem[], from: number): Generator<JsonObject> {
  const { contract, hours, createdAt } = terms
  const model = new ClaimModel(contract, createdAt, hours)
  const logExplanation = new LogExplanation(terms, model.state)
  const named = namesOf(contract)
  if (from === 0) yield logExplanation.explanation
  for (const [i, item] of log.entries()) {
    const before = model.state
    const at = Date.parse(item.created_at)
    const usedUp = contract.clock ? model.usedUp(at) : 0
    const result = item.system ? null : model.submit(toLoggedEvent(item), at)
    if (item.system) model.elapse(at)
    const isLate = result?.kind === 'recorded' && result.lateMs !== null
    const changesExplanation = named.has(item.type) || isLate || model.state !== before
    if (changesExplanation) logExplanation.note(item, before, model.state, result, usedUp)
    if (i + 1 === from || (i + 1 > from && changesExplanation)) yield logExplanation.explanation
  }
}

/** The log was read between these two lengths. One of them must explain it. */
export function isExplainedBy(
  shown: Json | undefined,
  terms: Terms,
  log: readonly LogItem[],
  from: number,
): boolean {
  return explanations(terms, log, from).some((explanation) => same(shown, explanation))
}
