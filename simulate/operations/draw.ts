import { type Condition, isSatisfied, type Leaf } from '../model/condition.ts'
import type { Clock, Contract, Review, Window } from '../model/contract.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Random } from '../random.ts'

/* Few names and numbers, so that events often match conditions. */

const TYPES = ['delivered', 'paid', 'rated', 'noise'] as const

function drawValue(random: Random): Json {
  if (random.chance(0.1)) return random.int(-3, 9) / 10
  if (random.chance(0.6)) return random.int(-1, 5)
  return random.pick<Json>([true, false, 'x', 'ü', null, [1, { k: 1 }], { k: random.int(0, 2) }, 2.5])
}

export function drawContent(random: Random): { type: string; payload: JsonObject } {
  const payload: JsonObject = {}
  if (random.chance(0.8)) payload.value = drawValue(random)
  if (random.chance(0.4)) payload.n = random.int(0, 6)
  if (random.chance(0.4)) payload.tenths = random.int(-2, 9) / 10
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

/** Bounds that a few events reach. Sums are mostly of tenths, which have no exact binary fraction. */
function drawAggregatedLeaf(random: Random): Leaf {
  const leaf: Leaf = {
    event: random.pick(TYPES),
    aggregate: random.pick(['count', 'sum', 'distinct'] as const),
  }
  if (random.chance(0.2)) leaf.match = random.pick<Json>([1, { o: { k: 1 } }, {}])
  if (leaf.aggregate !== 'count' && random.chance(0.5))
    leaf.field = random.pick(['n', 'o.k', 'tenths', 'value'])
  const bound = leaf.aggregate === 'sum' ? random.int(-5, 60) / 10 : random.int(1, 4)
  leaf[random.pick(['gt', 'gte', 'gte', 'lt', 'lte', 'eq'] as const)] = bound
  if (random.chance(0.2)) leaf.lte = random.int(2, 6)
  return leaf
}

type DrawLeaf = (random: Random) => Leaf

const drawAnyLeaf: DrawLeaf = (random) => (random.chance(0.5) ? drawAggregatedLeaf : drawLeaf)(random)

function drawNode(random: Random, depth: number, leaf: DrawLeaf): Condition {
  const kind = depth === 0 ? 0 : random.int(0, 5)
  if (kind <= 2) return leaf(random)
  if (kind === 3) return { op: 'NOT', condition: drawNode(random, depth - 1, leaf) }
  const conditions = Array.from({ length: random.int(kind - 4, 3) }, () => drawNode(random, depth - 1, leaf))
  return { op: kind === 4 ? 'AND' : 'OR', conditions }
}

/** Mostly hard to satisfy, so that claims stay OPEN long enough for competing clients. */
function drawCondition(random: Random, leaf: DrawLeaf): Condition {
  if (random.chance(0.25)) return { event: 'never' }
  if (random.chance(0.3)) return drawNode(random, 3, leaf)
  const rare: Leaf = { event: 'rare', gte: random.int(0, 3) }
  return { op: 'AND', conditions: [rare, drawNode(random, 2, leaf)] }
}

/** Seconds. Windows on a test clock are long, and most are whole minutes. */
const LIVE_WINDOWS = [0.5, 3, 8.25, 20, 45, 3600]
const CLOCK_WINDOWS = [0.001, 59.999, 60, 60.001, 90, 3600, 86_400, 2_592_000]

const EXTENDED_SHARE = 0.3

/** Draws a calendar for a contract, mostly without a version. Null if there is none. */
export type DrawCalendar = () => NonNullable<Clock['calendar']> | null

const NO_CALENDAR: DrawCalendar = () => null

export function drawContract(
  random: Random,
  onClock: boolean,
  { extendedShare = EXTENDED_SHARE, drawCalendar = NO_CALENDAR } = {},
): Contract {
  const windows = onClock ? CLOCK_WINDOWS : LIVE_WINDOWS
  const isExtended = random.chance(extendedShare)
  const contract: Contract = {
    price: random.int(0, 100_000) / 100,
    activity_window: random.chance(0.5) ? 86_400 : random.pick(windows),
    review_window: random.chance(0.2) ? 0 : random.pick(windows),
    fulfillment_condition: drawCondition(random, isExtended ? drawAnyLeaf : drawLeaf),
    timeout_outcome: random.pick(['confirm', 'fail']),
  }
  return isExtended ? extended(random, contract, drawCalendar) : contract
}

/** §2.1a. Many claims enter the review soon and stay there, because clients compete for them too. */
function extended(random: Random, contract: Contract, drawCalendar: DrawCalendar): Contract {
  const isReviewed = random.chance(0.7)
  const isSoon = isReviewed && random.chance(0.6)
  const review_window = isReviewed && random.chance(0.3) ? 3_600 : contract.review_window
  const clock = random.chance(0.5) ? drawClock(random, drawCalendar) : null
  return {
    ...contract,
    review_window,
    ...(isSoon ? { fulfillment_condition: drawSoon(random) } : {}),
    ...(isReviewed ? { review: drawReview(random, review_window) } : {}),
    ...(random.chance(0.35) ? { strict_deadline: random.chance(0.85) } : {}),
    ...(clock ? { clock } : {}),
  }
}

const drawSoon = (random: Random): Condition => ({
  op: 'OR',
  conditions: [
    { event: random.pick(TYPES) },
    { event: random.pick(TYPES), aggregate: 'count', gte: random.int(2, 5) },
  ],
})

function drawReview(random: Random, reviewWindow: number): Review {
  const kind = random.int(0, 2)
  return {
    ...(kind > 0 ? { reversal_condition: drawReversal(random) } : {}),
    ...(kind < 2
      ? {
          restart_on: drawTrigger(random),
          max_duration: reviewWindow + random.pick([0, 0.001, 1, 60, 3_600, 86_400, 86_400]),
        }
      : {}),
  }
}

const WINDOWS: readonly Window[][] = [['activity'], ['review'], ['activity', 'review']]

/** Events pause and resume most clocks. */
function drawClock(random: Random, drawCalendar: DrawCalendar): Clock {
  const calendar = random.chance(0.5) ? drawCalendar() : null
  const isPaused = calendar === null || random.chance(0.5)
  return {
    ...(calendar ? { calendar } : {}),
    ...(calendar && random.chance(0.6) ? { applies_to: random.pick(WINDOWS) } : {}),
    ...(isPaused ? { pause_on: drawTrigger(random), resume_on: drawTrigger(random) } : {}),
  }
}

const drawTrigger = (random: Random): Condition =>
  random.chance(0.5)
    ? drawEasyLeaf(random)
    : { op: 'OR', conditions: Array.from({ length: random.int(1, 3) }, () => drawEasyLeaf(random)) }

/** Mostly a leaf that each event of the type satisfies. */
const drawEasyLeaf: DrawLeaf = (random) =>
  random.chance(0.6) ? { event: random.pick(TYPES) } : drawLeaf(random)

/** A reversal condition that holds without events is refused. */
function drawReversal(random: Random): Condition {
  const drawn = random.chance(0.5) ? drawAnyLeaf(random) : drawNode(random, 2, drawAnyLeaf)
  return isSatisfied(drawn, [])
    ? { event: random.pick(TYPES), aggregate: 'count', gte: random.int(1, 6) }
    : drawn
}

/** An event that probably satisfies the condition. */
export const drawRare = (random: Random): { type: string; payload: JsonObject } => ({
  type: 'rare',
  payload: { value: random.int(0, 4) },
})
