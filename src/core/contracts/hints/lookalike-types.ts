import { isReservedType, RESERVED_TYPES } from '../../claims/event.ts'
import { type Condition, type Leaf, namedEventTypes } from '../condition.ts'
import { SimilarNames } from './similar-names.ts'
import { differenceInWords, type Lookalike, Lookalikes, plainSpelling, quoted } from './spelling.ts'

/** An event type of a leaf that looks like another type. */
export interface LookalikeType {
  path: string
  type: string
  /** A sentence with the other type and the difference. */
  note: string
  /** The other type is reserved, is the type of recorded events, or is the same type without invisible characters. */
  source: 'reserved' | 'events' | 'plain'
}

const RESERVED = new Lookalikes(RESERVED_TYPES)

/** The first leaf of each such type. @param known types of the account's events, the most frequent first */
export function lookalikeTypes(
  places: readonly { leaf: Leaf; path: string }[],
  known: ReadonlySet<string>,
  max: number,
): LookalikeType[] {
  const seen = new Lookalikes(known)
  const found = new Map<string, LookalikeType | null>()
  let count = 0
  for (const { leaf, path } of places) {
    const { event: type } = leaf
    if (count === max) break
    if (found.has(type) || isReservedType(type)) continue
    const lookalike = lookalikeOf(type, seen, known.has(type))
    found.set(type, lookalike && { path, type, ...lookalike })
    if (lookalike) count++
  }
  return [...found.values()].filter((lookalike) => lookalike !== null)
}

function lookalikeOf(
  type: string,
  seen: Lookalikes,
  isSeen: boolean,
): Pick<LookalikeType, 'note' | 'source'> | null {
  const reserved = RESERVED.find(type)
  if (reserved) return { note: noteOn(type, reserved), source: 'reserved' }
  const ofEvents = seen.find(type)
  // Where events of both types exist, letter case may distinguish them on purpose; invisible characters never do.
  if (ofEvents && (ofEvents.by === 'hidden' || !isSeen))
    return { note: noteOn(type, ofEvents), source: 'events' }
  const plain = plainOf(type)
  return plain && { note: noteOn(type, plain), source: 'plain' }
}

/**
 * Returns a function that says which type of the conditions an event's type looks like, or may be a typo of; null if
 * there is none.
 */
export function typeNotes(...conditions: Condition[]): (type: string) => string | null {
  const named = new Set(conditions.flatMap((condition) => [...namedEventTypes(condition)]))
  const wanted = new Lookalikes([...named, ...RESERVED_TYPES])
  const similar = new SimilarNames(named)
  const known = new Map<string, string | null>()
  return (type) => {
    let note = known.get(type)
    if (note === undefined) {
      const lookalike = (named.has(type) ? null : wanted.find(type)) ?? plainOf(type)
      const meant = lookalike || named.has(type) ? null : similar.find(type)
      note = lookalike ? noteOn(type, lookalike) : meant && noteOnSlip(type, meant)
      known.set(type, note)
    }
    return note
  }
}

const noteOnSlip = (type: string, meant: string): string =>
  `No condition names the type ${quoted(type)}. Perhaps ${quoted(meant)} is meant.`

/** The type without invisible characters; null if it has none. */
function plainOf(type: string): Lookalike | null {
  const text = plainSpelling(type)
  return text === type ? null : { text, by: 'hidden' }
}

function noteOn(type: string, { text: other, by }: Lookalike): string {
  const difference = differenceInWords(type, other, by)
  if (other === '') return `The type ${quoted(type)} consists only of ${difference}.`
  return `The type ${quoted(type)} differs from ${quoted(other)} only by ${difference}.`
}
