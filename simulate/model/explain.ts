import { type Condition, isSatisfied } from './condition.ts'
import { type Json, type JsonObject, same } from './json.ts'
import { type LogItem, payloadOf } from './replay.ts'

const MOST_NAMED = 10

/** §4.1: the tree as it was sent, with the truth of each node over the log, and the events that satisfy each leaf. */
export function explained(condition: Condition, log: readonly LogItem[]): JsonObject {
  const evidence = log.map((item) => ({ type: item.type, payload: payloadOf(item), system: item.system }))
  const satisfied = isSatisfied(condition, evidence)
  if ('event' in condition) {
    const satisfied_by = log
      .filter((_, i) => isSatisfied(condition, evidence.slice(i, i + 1)))
      .map(({ id }) => id)
    return {
      ...condition,
      satisfied,
      satisfied_by: satisfied_by.slice(0, MOST_NAMED),
    } as unknown as JsonObject
  }
  if (condition.op === 'NOT') return { op: 'NOT', satisfied, condition: explained(condition.condition, log) }
  return {
    op: condition.op,
    satisfied,
    conditions: condition.conditions.map((child) => explained(child, log)),
  }
}

/** Between these two lengths of the log it was read: one of them explains it. */
export function isExplainedBy(
  shown: Json | undefined,
  condition: Condition,
  log: readonly LogItem[],
  from: number,
): boolean {
  for (let length = from; length <= log.length; length++) {
    if (same(shown, explained(condition, log.slice(0, length)))) return true
  }
  return false
}
