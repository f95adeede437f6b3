import { aggregated, textOf } from './aggregate.ts'
import { type Condition, concerns, isSatisfied, type Leaf, valueAt } from './condition.ts'
import type { Contract, State } from './contract.ts'
import { Course, type Fate, namesOf } from './course.ts'
import { type Json, type JsonObject, same } from './json.ts'
import { type LogItem, payloadOf, type Terms } from './replay.ts'

const MOST_NAMED = 10

/** §4.1: the tree as it was sent, with the truth of each node over the log, and the events that satisfy each leaf. */
function explained(condition: Condition, log: readonly LogItem[]): JsonObject {
  const evidence = log.map(toEvidence)
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

const toEvidence = (item: LogItem) => ({ type: item.type, payload: payloadOf(item), system: item.system })
const idsOf = (items: readonly LogItem[]) => items.slice(0, MOST_NAMED).map(({ id }) => id)

const satisfying = (leaf: Leaf, log: readonly LogItem[]): JsonObject => ({
  satisfied_by: idsOf(log.filter((item) => isSatisfied(leaf, [toEvidence(item)]))),
})

/** §2.1a: the aggregate, the events that count, and how many have no such value. */
function counted(leaf: Leaf, log: readonly LogItem[]): JsonObject {
  const { aggregate = 'count', field = 'value' } = leaf
  const concerned = log.filter((item) => concerns(leaf, toEvidence(item)))
  const fieldOf = (item: LogItem) => valueAt(payloadOf(item), field)
  const kinds = aggregate === 'sum' ? ['number'] : ['number', 'string', 'boolean']
  const counting = concerned.filter((item) => aggregate === 'count' || kinds.includes(typeof fieldOf(item)))
  return {
    satisfied_by: idsOf(counting),
    value: textOf(aggregated(aggregate, counting.map(fieldOf))),
    left_out: concerned.length - counting.length,
  }
}

/** A claim's log so far, as an explanation tells it. */
class Told {
  readonly #contract: Contract
  readonly #transitions: JsonObject[] = []
  readonly #open: LogItem[] = []
  readonly #review: LogItem[] = []
  readonly #restarts: JsonObject[] = []
  readonly #late: JsonObject[] = []
  #reversedBy: JsonObject | null = null
  /** As it was last, while PENDING. */
  #pending: State | null = null

  constructor(contract: Contract) {
    this.#contract = contract
  }

  note(item: LogItem, before: State, after: State, fate: Fate | null): void {
    const { id, created_at: at } = item
    if (after.status !== before.status) {
      const window_elapsed = before.status === 'OPEN' ? 'activity_window' : 'review_window'
      const because = { event_id: id, ...(item.system ? { window_elapsed } : {}) }
      this.#transitions.push({ from: before.status, to: after.status, at, because })
    }
    if (after.status === 'PENDING') this.#pending = after
    if (fate?.is !== 'recorded') return
    const { effect, lateMs } = fate
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
      ...(this.#late.length > 0
        ? { late_events: this.#late.slice(0, MOST_NAMED), late_event_count: this.#late.length }
        : {}),
    }
  }

  #reviewSince({ due_at, status_since }: State): JsonObject {
    const { reversal_condition, max_duration } = this.#contract.review ?? {}
    return {
      ...(reversal_condition ? { reversal_condition: explained(reversal_condition, this.#review) } : {}),
      reversed_by: this.#reversedBy,
      restarts: this.#restarts.slice(0, MOST_NAMED),
      restart_count: this.#restarts.length,
      due_at: iso(due_at),
      latest_due_at: max_duration === undefined ? null : iso(status_since + Math.round(max_duration * 1000)),
    }
  }
}

const iso = (at: number | null) => new Date(at as number).toISOString()

/** What explanations tell of the log with `from` items, and with each more that they tell of. */
function* explanations(
  { contract, createdAt }: Terms,
  log: readonly LogItem[],
  from: number,
): Generator<JsonObject> {
  const course = new Course(contract, createdAt)
  const told = new Told(contract)
  const named = namesOf(contract)
  if (from === 0) yield told.explanation
  for (const [i, item] of log.entries()) {
    const before = course.state
    const at = Date.parse(item.created_at)
    const fate = item.system ? null : course.submit(toEvidence(item), at)
    if (item.system) course.elapse(at)
    const isLate = fate?.is === 'recorded' && fate.lateMs !== null
    const isTold = named.has(item.type) || isLate || course.state !== before
    if (isTold) told.note(item, before, course.state, fate)
    if (i + 1 === from || (i + 1 > from && isTold)) yield told.explanation
  }
}

/** Between these two lengths of the log it was read: one of them explains it. */
export function isExplainedBy(
  shown: Json | undefined,
  terms: Terms,
  log: readonly LogItem[],
  from: number,
): boolean {
  return explanations(terms, log, from).some((explanation) => same(shown, explanation))
}
