import { decimalsOf, minorUnitsOf } from '../../../kernel/currency.ts'
import { MAX_HINTS } from '../../limits.ts'
import { boundsInWords } from '../comparators.ts'
import { holds, type Leaf } from '../condition.ts'
import type { Contract } from '../contract.ts'
import { durationInWords } from '../contract-in-words.ts'
import { type ImpossiblePart, ImpossibleParts } from './impossible-parts.ts'
import { type KnownLeaf, knowLeaves, type LeafPlace, leafPlaces } from './known-leaves.ts'
import { type LookalikeType, lookalikeTypes } from './lookalike-types.ts'
import { quoted } from './spelling.ts'
import { type UnknownType, unknownTypes } from './unknown-types.ts'

export const HINT_CODES = [
  'condition_impossible',
  'condition_true_from_start',
  'always_confirmed',
  'not_during_review',
  'leaf_impossible',
  'part_impossible',
  'window_under_a_minute',
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

export const ROOT = 'fulfillment_condition'
/** Between two scheduled checks, in seconds. */
const CHECK_INTERVAL = 60

const NO_TYPES: ReadonlySet<string> = new Set()

/**
 * Hints to a valid contract (§2.1), what is about all of it first.
 * @param knownTypes event types of the account; if empty, no type is called unknown
 * @param currency the code of the account's currency; null for none
 */
export function hintsOf(
  contract: Contract,
  knownTypes = NO_TYPES,
  currency: string | null = null,
): readonly Hint[] {
  const steps = lookForHints(contract, knownTypes, currency)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same, a step at a time: of the largest contract they take some milliseconds. */
export function* lookForHints(
  contract: Contract,
  knownTypes = NO_TYPES,
  currency: string | null = null,
): Generator<void, readonly Hint[]> {
  const { fulfillment_condition: condition } = contract
  const places = leafPlaces(condition, ROOT)
  const leaves = yield* knowLeaves(places)
  const parts = new ImpossibleParts(leaves, MAX_HINTS)
  const isPossible = yield* parts.look(condition, ROOT)
  const isOfUse = ({ leaf, not }: LeafPlace) =>
    !leaves.get(leaf)?.impossible && !parts.found.some(({ path }) => path === not)
  return [
    ...(isPossible ? aboutOutcome(contract) : [impossible(contract)]),
    ...(isPossible ? aboutReview(contract, places.filter(isOfUse)) : []),
    ...aboutWindows(contract),
    ...aboutPrice(contract, currency),
    ...places.flatMap(({ leaf, path }) => aboutLeaf(leaf, leaves.get(leaf) as KnownLeaf, path)),
    ...parts.found.filter(({ path }) => path !== ROOT).map(aboutPart),
    ...lookalikeTypes(places, knownTypes, MAX_HINTS).map(aboutLookalike),
    ...unknownTypes(places, knownTypes, MAX_HINTS).map(aboutType),
  ].slice(0, MAX_HINTS)
}

function impossible({ timeout_outcome }: Contract): Hint {
  const outcome = timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'
  const message = `No events satisfy this. So each claim waits for its activity window to elapse, and becomes ${outcome}.`
  return { code: 'condition_impossible', path: ROOT, message }
}

function aboutOutcome({ fulfillment_condition, timeout_outcome }: Contract): Hint[] {
  const hints: Hint[] = []
  if (holds(fulfillment_condition, () => false)) {
    const message =
      'This holds before any event has come. It is judged only when one comes: the first that leaves it true, of whatever type, satisfies it.'
    hints.push({ code: 'condition_true_from_start', path: ROOT, message })
  }
  if (timeout_outcome === 'confirm') {
    const message =
      'Each claim becomes CONFIRMED, whatever comes: the condition only makes it sooner. To let claims fail, take "fail".'
    hints.push({ code: 'always_confirmed', path: 'timeout_outcome', message })
  }
  return hints
}

/** One is enough: what is so of the first NOT is so of all. */
function aboutReview({ review_window }: Contract, places: readonly LeafPlace[]): Hint[] {
  const path = places.find(({ not }) => not !== null)?.not
  if (review_window === 0 || !path) return []
  const message = `What a NOT names counts only while the claim is OPEN. Once it is PENDING, for a review of ${durationInWords(review_window)}, such an event is refused (CLAIM_NOT_OPEN) and changes nothing.`
  return [{ code: 'not_during_review', path, message }]
}

function aboutLeaf(leaf: Leaf, { impossible }: KnownLeaf, path: string): Hint[] {
  if (!impossible) return []
  const reasons = {
    'reserved-type':
      'No event satisfies this: those of the service satisfy no leaf. What the end of the activity window brings is in timeout_outcome.',
    'no-number': `No event satisfies this: no number is ${boundsInWords(leaf)}.`,
    contradiction: 'No event satisfies this: match and the number exclude each other.',
    'no-such-field':
      'No event satisfies this: id, type, claim_id, candidate_alias, created_at and system are never in the payload.',
  }
  return [{ code: 'leaf_impossible', path, message: reasons[impossible] }]
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
  return (['activity_window', 'review_window'] as const)
    .filter((name) => contract[name] > 0 && contract[name] < CHECK_INTERVAL)
    .map((path) => {
      const message = `This window is ${durationInWords(contract[path])}, from ${since[path]} on. Only a check finds that it is over, and checks are at whole minutes.`
      return { code: 'window_under_a_minute', path, message }
    })
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
