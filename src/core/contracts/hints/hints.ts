import { decimalsOf, minorUnitsOf } from '../../../kernel/currency.ts'
import { MAX_EVENTS, MAX_HINTS } from '../../limits.ts'
import { holdsOnEmptyLog, INITIAL_AGGREGATES, isAggregateSatisfied } from '../aggregate.ts'
import { boundsInWords } from '../comparators.ts'
import { type Aggregate, type Condition, type Leaf, namedEventTypes } from '../condition.ts'
import { type ConditionPath, type Contract, conditionsByPath } from '../contract.ts'
import { conditionInWords, durationInWords } from '../contract-in-words.ts'
import { type ImpossiblePart, ImpossibleParts } from './impossible-parts.ts'
import { type KnownLeaf, knowLeaves, type LeafPlace, leafPlaces } from './known-leaves.ts'
import { type LookalikeType, lookalikeTypes } from './lookalike-types.ts'
import { quoted } from './spelling.ts'
import { type UnknownType, unknownTypes } from './unknown-types.ts'

export const HINT_CODES = [
  'condition_impossible',
  'condition_true_from_start',
  'aggregate_upper_bound',
  'always_confirmed',
  'not_during_review',
  'leaf_impossible',
  'part_impossible',
  'window_under_a_minute',
  'clock_may_stop',
  'price_decimals',
  'event_type_lookalike',
  'event_type_unknown',
] as const

/** Something that the author of a contract may not have meant. It is not an error: the contract is valid. */
export interface Hint {
  code: (typeof HINT_CODES)[number]
  /** Within the contract: `fulfillment_condition.conditions[1]`. */
  path: string
  message: string
}

const ROOT = 'fulfillment_condition'
const REVERSAL = 'review.reversal_condition'
const RESTART = 'review.restart_on'
const PAUSE = 'clock.pause_on'
const RESUME = 'clock.resume_on'
/** Between two scheduled checks, in seconds. */
const CHECK_INTERVAL = 60

const NO_TYPES: ReadonlySet<string> = new Set()

/**
 * Hints about a valid contract (§2.1). Hints about the whole contract come first.
 * @param knownTypes event types of the account; if empty, no type is called unknown
 * @param currency the code of the account's currency; null for none
 */
export function hintsOf(
  contract: Contract,
  knownTypes = NO_TYPES,
  currency: string | null = null,
): readonly Hint[] {
  const steps = findHints(contract, knownTypes, currency)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Like `hintsOf`, in steps: the largest contract takes some milliseconds. */
export function* findHints(
  contract: Contract,
  knownTypes = NO_TYPES,
  currency: string | null = null,
): Generator<void, readonly Hint[]> {
  const examined: Examined[] = []
  for (const [root, condition] of conditionsByPath(contract)) examined.push(yield* examine(condition, root))
  const [fulfillment] = examined as [Examined]
  const canBeReversed = examined.some(({ root, isPossible }) => root === REVERSAL && isPossible)
  const places = examined.flatMap((one) => one.places)
  return [
    ...examined.filter(({ isPossible }) => !isPossible).map(({ root }) => impossible(contract, root)),
    ...(fulfillment.isPossible ? aboutOutcome(contract, canBeReversed) : []),
    ...(fulfillment.isPossible ? aboutReview(contract, fulfillment.places.filter(isOfUse(fulfillment))) : []),
    ...aboutWindows(contract),
    ...examined.filter(({ root, isPossible }) => root === PAUSE && isPossible).map(() => CLOCK_MAY_STOP),
    ...aboutPrice(contract, currency),
    ...examined.flatMap((one) => one.places.flatMap((place) => aboutLeaf(place, one.leaves))),
    ...fulfillment.places.flatMap(aboutUpperBound),
    ...examined.flatMap(({ parts, root }) => parts.filter(({ path }) => path !== root).map(aboutPart)),
    ...lookalikeTypes(places, knownTypes, MAX_HINTS).map(aboutLookalike),
    ...unknownTypes(places, knownTypes, MAX_HINTS).map(aboutType),
  ].slice(0, MAX_HINTS)
}

/** What is known of one condition of the contract. */
interface Examined {
  root: ConditionPath
  places: readonly LeafPlace[]
  leaves: ReadonlyMap<Leaf, KnownLeaf>
  parts: readonly ImpossiblePart[]
  isPossible: boolean
}

function* examine(condition: Condition, root: ConditionPath): Generator<void, Examined> {
  const places = leafPlaces(condition, root)
  const leaves = yield* knowLeaves(places)
  const parts = new ImpossibleParts(leaves, MAX_HINTS)
  const isPossible = yield* parts.look(condition, root)
  return { root, places, leaves, parts: parts.found, isPossible }
}

const isOfUse =
  ({ leaves, parts }: Examined) =>
  ({ leaf, not }: LeafPlace): boolean =>
    !leaves.get(leaf)?.impossible && !parts.some(({ path }) => path === not)

function impossible({ timeout_outcome, review }: Contract, path: ConditionPath): Hint {
  const outcome = timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'
  const unless =
    timeout_outcome === 'confirm' && review?.reversal_condition ? ' unless the review reverses it' : ''
  const consequences = {
    [ROOT]: `So each claim waits for its activity window to elapse, and becomes ${outcome}${unless}.`,
    [REVERSAL]: 'So nothing reverses a CONFIRMED outcome.',
    [RESTART]: 'So nothing restarts the review.',
    [PAUSE]: 'So nothing stops the clock.',
    [RESUME]: 'So a clock that has stopped never continues.',
  }
  return { code: 'condition_impossible', path, message: `No events satisfy this. ${consequences[path]}` }
}

function aboutOutcome({ fulfillment_condition, timeout_outcome }: Contract, canBeReversed: boolean): Hint[] {
  const hints: Hint[] = []
  if (holdsOnEmptyLog(fulfillment_condition)) {
    const message =
      'This holds before any event has come. It is judged only when one comes: the first that leaves it true, of whatever type, satisfies it.'
    hints.push({ code: 'condition_true_from_start', path: ROOT, message })
  }
  if (timeout_outcome === 'confirm' && !canBeReversed) {
    const message =
      'Each claim becomes CONFIRMED, whatever comes: the condition only makes it sooner. To let claims fail, take "fail", or say in review.reversal_condition what reverses the outcome.'
    hints.push({ code: 'always_confirmed', path: 'timeout_outcome', message })
  }
  return hints
}

/** One hint is enough: it applies equally to every NOT whose events the review does not evaluate. */
function aboutReview({ review_window, review }: Contract, places: readonly LeafPlace[]): Hint[] {
  const reversing = review?.reversal_condition ? namedEventTypes(review.reversal_condition) : NO_TYPES
  const path = places.find(({ leaf, not }) => not !== null && !reversing.has(leaf.event))?.not
  if (review_window === 0 || !path) return []
  const then = review ? 'changes nothing' : 'is refused (CLAIM_NOT_OPEN) and changes nothing'
  const message = `What a NOT names counts only while the claim is OPEN. Once it is PENDING, for a review of ${durationInWords(review_window)}, such an event ${then}. If it is to reverse the outcome, say so in review.reversal_condition.`
  return [{ code: 'not_during_review', path, message }]
}

/** A wanted leaf that is satisfied from the start can only become unsatisfied, and nothing evaluates that later. */
function aboutUpperBound({ leaf, path, not }: LeafPlace): Hint[] {
  const { aggregate, gt, gte, lt, lte, eq, ...rest } = leaf
  const bound = lt ?? lte
  if (not !== null || aggregate === undefined || bound === undefined) return []
  if ((gt ?? gte ?? eq) !== undefined || !isAggregateSatisfied(leaf, INITIAL_AGGREGATES[aggregate])) return []
  const isBelow = lt !== undefined && lt <= (lte ?? lt)
  const beyond = { ...rest, aggregate, ...(isBelow ? { gte: lt } : { gt: lte as number }) }
  const message = `This holds before any event has come, and is never judged at the end of a window. To let a claim fail once ${conditionInWords(beyond)}, make that the review.reversal_condition, and let another event satisfy the fulfillment condition.`
  return [{ code: 'aggregate_upper_bound', path, message }]
}

function aboutLeaf({ leaf, path }: LeafPlace, leaves: ReadonlyMap<Leaf, KnownLeaf>): Hint[] {
  const impossible = leaves.get(leaf)?.impossible
  if (!impossible) return []
  const reasons = {
    'reserved-type':
      'No event satisfies this: those of the service satisfy no leaf. What the end of the activity window brings is in timeout_outcome.',
    'no-number': `No event satisfies this: no number is ${boundsInWords(leaf)}.`,
    'no-value': `No log satisfies this: ${VALUES[leaf.aggregate ?? 'sum']} is ${boundsInWords(leaf)}.`,
    contradiction: 'No event satisfies this: match and the number exclude each other.',
    'no-such-field':
      'No event satisfies this: id, type, claim_id, candidate_alias, created_at and system are never in the payload.',
  }
  return [{ code: 'leaf_impossible', path, message: reasons[impossible] }]
}

const VALUES: Record<Aggregate, string> = {
  count: `a count is a whole number from 0 to ${MAX_EVENTS}, the most events of a log, and none of these`,
  sum: 'no sum',
  distinct: `values are counted in whole numbers from 0 to ${MAX_EVENTS}, the most events of a log, and none of these`,
}

function aboutPart({ path, because }: ImpossiblePart): Hint {
  const by = because.kind === 'excluded' ? (because.by ?? 'What the NOT around it asks for') : ''
  const reasons = {
    excluded: `This is of no use: ${by} is needed too, and the two are never satisfied together.`,
    'nothing-named': 'This is of no use: an OR of nothing is never satisfied.',
    'always-satisfied': 'This is of no use: what it negates is always satisfied by what else is needed.',
  }
  return { code: 'part_impossible', path, message: reasons[because.kind] }
}

function aboutType({ path, type, meant }: UnknownType): Hint {
  const message = `None of the account’s latest events is of the type ${quoted(type)}.`
  return {
    code: 'event_type_unknown',
    path,
    message: meant === null ? message : `${message} Perhaps ${quoted(meant)} is meant.`,
  }
}

function aboutLookalike({ path, note, source }: LookalikeType): Hint {
  const sources = {
    reserved: ' That type is reserved for events of the service, which satisfy no leaf.',
    events: ' Events of that type do not satisfy this.',
    plain: ' Types are compared exactly.',
  }
  return { code: 'event_type_lookalike', path, message: `${note}${sources[source]}` }
}

function aboutWindows(contract: Contract): Hint[] {
  const since = { activity_window: 'the claim’s creation', review_window: 'its becoming PENDING' }
  const short = (['activity_window', 'review_window'] as const)
    .filter((name) => contract[name] > 0 && contract[name] < CHECK_INTERVAL)
    .map((path): Hint => {
      const message = `This window is ${durationInWords(contract[path])}, from ${since[path]} on. Only a check finds that it is over, and checks are at whole minutes.`
      return { code: 'window_under_a_minute', path, message }
    })
  return contract.review && contract.review_window === 0 ? [...short, NO_REVIEW] : short
}

const NO_REVIEW: Hint = {
  code: 'window_under_a_minute',
  path: 'review_window',
  message:
    'The review ends at once, so every event in it is late: none restarts the review, and one reverses the outcome only if it comes before the next check and the deadline is not strict.',
}

const CLOCK_MAY_STOP: Hint = {
  code: 'clock_may_stop',
  path: PAUSE,
  message:
    'While the clock is stopped, the claim never times out. It stays OPEN until an event satisfies the fulfillment condition, or satisfies clock.resume_on and so continues the clock.',
}

/** The price is stored and summed exactly, but smaller amounts than the currency's minor unit cannot be paid. */
function aboutPrice({ price }: Contract, currency: string | null): Hint[] {
  const units = currency === null ? null : minorUnitsOf(currency)
  const decimals = decimalsOf(price)
  if (units === null || decimals <= units) return []
  const has = units === 0 ? 'no decimals' : `${units} decimals`
  const message = `The price ${price} has ${decimals} ${decimals === 1 ? 'decimal' : 'decimals'}, but the account’s currency, ${currency}, has ${has} (ISO 4217). The price is stored and summed as it is, without rounding.`
  return [{ code: 'price_decimals', path: 'price', message }]
}
