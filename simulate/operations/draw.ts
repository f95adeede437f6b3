import type { Condition, Leaf } from '../model/condition.ts'
import type { Contract } from '../model/contract.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Random } from '../random.ts'

/* Few names and numbers, so that conditions and events meet often. */

const TYPES = ['delivered', 'paid', 'rated', 'noise'] as const

function drawValue(random: Random): Json {
  if (random.chance(0.6)) return random.int(-1, 5)
  return random.pick<Json>([true, false, 'x', 'ü', null, [1, { k: 1 }], { k: random.int(0, 2) }, 2.5])
}

export function drawContent(random: Random): { type: string; payload: JsonObject } {
  const payload: JsonObject = {}
  if (random.chance(0.8)) payload.value = drawValue(random)
  if (random.chance(0.4)) payload.n = random.int(0, 6)
  if (random.chance(0.3)) payload.o = { k: random.int(0, 3), l: random.pick<Json>(['a', null, 1]) }
  return { type: random.pick(TYPES), payload }
}

function drawLeaf(random: Random): Leaf {
  const leaf: Leaf = { event: random.pick(TYPES) }
  if (random.chance(0.4))
    leaf.match = random.pick<Json>([1, 'x', true, { o: { k: 1 } }, { value: [1, { k: 1 }] }, {}])
  if (random.chance(0.5)) {
    if (random.chance(0.5)) leaf.field = random.pick(['n', 'o.k', 'value'])
    leaf[random.pick(['gt', 'gte', 'lt', 'lte', 'eq'] as const)] = random.int(0, 5)
    if (random.chance(0.3)) leaf.lte = random.int(2, 6)
  }
  return leaf
}

function drawNode(random: Random, depth: number): Condition {
  const kind = depth === 0 ? 0 : random.int(0, 5)
  if (kind <= 2) return drawLeaf(random)
  if (kind === 3) return { op: 'NOT', condition: drawNode(random, depth - 1) }
  const conditions = Array.from({ length: random.int(kind - 4, 3) }, () => drawNode(random, depth - 1))
  return { op: kind === 4 ? 'AND' : 'OR', conditions }
}

/** Mostly hard to satisfy, so that claims live long enough to be fought over. */
function drawCondition(random: Random): Condition {
  if (random.chance(0.25)) return { event: 'never' }
  if (random.chance(0.3)) return drawNode(random, 3)
  const rare: Leaf = { event: 'rare', gte: random.int(0, 3) }
  return { op: 'AND', conditions: [rare, drawNode(random, 2)] }
}

/** Seconds. What is drawn on a clock is long, and mostly ends on a whole minute where the clock stands on one. */
const LIVE_WINDOWS = [0.5, 3, 8.25, 20, 45, 3600]
const CLOCK_WINDOWS = [0.001, 59.999, 60, 60.001, 90, 3600, 86_400, 2_592_000]

export function drawContract(random: Random, onClock: boolean): Contract {
  const windows = onClock ? CLOCK_WINDOWS : LIVE_WINDOWS
  return {
    price: random.int(0, 100_000) / 100,
    activity_window: random.chance(0.5) ? 86_400 : random.pick(windows),
    review_window: random.chance(0.2) ? 0 : random.pick(windows),
    fulfillment_condition: drawCondition(random),
    timeout_outcome: random.pick(['confirm', 'fail']),
  }
}

/** With one of them a claim is likely to be settled. */
export const drawRare = (random: Random): { type: string; payload: JsonObject } => ({
  type: 'rare',
  payload: { value: random.int(0, 4) },
})
