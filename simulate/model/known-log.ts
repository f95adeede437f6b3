import type { ClaimHistory, Submission } from './claim-history.ts'
import { type Contract, type State, withoutClock } from './contract.ts'
import { assert } from './finding.ts'
import { canonical, same } from './json.ts'
import { type LogItem, payloadOf, replay } from './replay.ts'

/** The smallest and the largest number of log items at which a statement was true. */
export type LogRange = [from: number, until: number]

/** A claim's log, with the states that follow from it. */
export class KnownLog {
  readonly contract: Contract
  readonly items: readonly LogItem[]
  /** States after no items, after the first, and so on. */
  readonly states: readonly State[]
  readonly #places = new Map<string, number>()
  /** The distinct states in order, with the number of items at which each begins. */
  readonly #changes: { state: State; from: number }[]

  constructor({ terms, longest }: ClaimHistory) {
    this.contract = terms.contract
    this.items = longest
    this.states = replay(terms, longest)
    this.#changes = this.states.flatMap((state, from) =>
      from > 0 && state === this.states[from - 1] ? [] : [{ state, from }],
    )
    for (const [i, { id }] of longest.entries()) {
      assert(!this.#places.has(id), () => `two items of the log have the id ${id}`)
      this.#places.set(id, i + 1)
    }
  }

  /** Position of the item with this id. Undefined for none. */
  positionOf(id: string): number | undefined {
    return this.#places.get(id)
  }

  itemOf(id: string): LogItem | undefined {
    const place = this.positionOf(id)
    return place === undefined ? undefined : this.items[place - 1]
  }

  /** The id of a submission without one, from the response or from the log, where its payload is unique. Null: not recorded. */
  idOf(submission: Submission): string | null {
    const { id, verdict } = submission
    if (id !== null) return id
    if ('event' in verdict && verdict.event) return verdict.event.id
    return this.items.find((item) => isContentOf(item, submission))?.id ?? null
  }

  rangeOf(state: State, isWithoutClock = false): LogRange {
    const shown = (known: State) => (isWithoutClock ? withoutClock(known) : known)
    return this.rangeWhere((known) => same({ ...shown(known) }, { ...state }))
  }

  rangeWhere(wasSo: (state: State) => boolean): LogRange {
    const first = this.#changes.findIndex(({ state }) => wasSo(state))
    const last = this.#changes.findLastIndex(({ state }) => wasSo(state))
    assert(first >= 0, () => 'it was shown in a state that does not follow from its log')
    const end = this.#changes[last + 1]?.from ?? this.states.length
    return [this.#changes[first]?.from ?? 0, end - 1]
  }
}

export const isContentOf = (item: LogItem, { type, payload }: Submission): boolean =>
  item.type === type && canonical(payloadOf(item)) === canonical(payload)
