import { any, contractWith } from './contracts.ts'
import { EventLog, type LogEvent } from './source/claims.ts'
import {
  type Condition,
  type Contract,
  type Hint,
  hintsOf,
  leavesOf,
  satisfyingPayload,
} from './source/contracts.ts'
import type { JsonObject } from './source/json.ts'

export const hintsTo = (condition: Condition, terms: Partial<Contract> = {}): readonly Hint[] =>
  hintsOf(contractWith({ fulfillment_condition: condition, ...terms }))

/** The paths of hints with these codes. */
export const pathsOf = (hints: readonly Hint[], ...codes: Hint['code'][]): string[] =>
  hints.filter(({ code }) => codes.includes(code)).map(({ path }) => path)

export const eventOf = (type: string, payload: JsonObject = {}): LogEvent => ({
  id: `${type}-${JSON.stringify(payload)}`,
  type,
  payload,
  system: false,
  createdAt: new Date(0),
})

/** The condition with `other` at the path of a hint. */
export function withInPlace(condition: Condition, path: string, other: Condition): Condition {
  const copy = { fulfillment_condition: structuredClone(condition) } as unknown as JsonObject
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '')
  const last = keys.pop() as string
  const holder = keys.reduce<JsonObject>((value, key) => value[key] as JsonObject, copy)
  if (!Object.hasOwn(holder, last)) throw new Error(`there is nothing at ${path}`)
  holder[last] = other as unknown as JsonObject
  return copy.fulfillment_condition as unknown as Condition
}

export const NEVER = any()

/** The numbers of `arbitraries.ts`, and a number between each two: events with these numbers distinguish all bounds. */
const NUMBERS = Array.from({ length: 17 }, (_, i) => i / 2 - 3)

/** The given events, and events close to what the leaves require. */
export const eventsAround = (condition: Condition, others: readonly LogEvent[]): LogEvent[] => [
  ...others,
  ...leavesOf(condition).flatMap((leaf) => [
    eventOf(leaf.event),
    ...[undefined, ...NUMBERS].map((number) => eventOf(leaf.event, satisfyingPayload(leaf, number))),
  ]),
]

/** One log of these events for each combination of satisfied leaves, the empty one first. */
export function logsOf(condition: Condition, events: readonly LogEvent[]): LogEvent[][] {
  const leaves = leavesOf(condition)
  const signOf = (log: EventLog) => leaves.map((leaf) => (log.isSatisfied(leaf) ? 1 : 0)).join('')
  const found = new Map([
    [signOf(new EventLog(condition)), { events: [] as LogEvent[], log: new EventLog(condition) }],
  ])
  // Entries that are added during the iteration are visited too.
  for (const known of found.values()) {
    for (const event of events) {
      const log = known.log.with(event)
      const sign = signOf(log)
      if (!found.has(sign)) found.set(sign, { events: [...known.events, event], log })
    }
  }
  return [...found.values()].map(({ events }) => events)
}
