import { isReservedType, RESERVED_TYPES } from '../../claims/event.ts'
import { type Condition, type Leaf, namedEventTypes } from '../condition.ts'
import { differenceInWords, type Lookalike, Lookalikes, plainSpelling, quoted } from './spelling.ts'

/** A type that a leaf asks for, and that can be taken for another one. */
export interface LookalikeType {
  path: string
  type: string
  /** A sentence: for which other one, and how the two differ. */
  note: string
  /** Where the other type comes from: it is reserved, events have it, or it is the type without what does not show. */
  source: 'reserved' | 'events' | 'plain'
}

const RESERVED = new Lookalikes(RESERVED_TYPES)

/** Of each such type the first leaf that asks for it. @param known types that events have had, the most frequent first */
export function lookalikeTypes(
  places: readonly { leaf: Leaf; path: string }[],
  known: ReadonlySet<string>,
  most: number,
): LookalikeType[] {
  const seen = new Lookalikes(known)
  const found = new Map<string, LookalikeType | null>()
  let count = 0
  for (const { leaf, path } of places) {
    const { event: type } = leaf
    if (count === most) break
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
  const reserved = RESERVED.of(type)
  if (reserved) return { note: noteOn(type, reserved), source: 'reserved' }
  const ofEvents = seen.of(type)
  // Where events have both, letter case may tell them apart on purpose. What does not show never does.
  if (ofEvents && (ofEvents.by === 'hidden' || !isSeen))
    return { note: noteOn(type, ofEvents), source: 'events' }
  const plain = plainOf(type)
  return plain && { note: noteOn(type, plain), source: 'plain' }
}

/** Tells of the type of an event which type of the condition it can be taken for; null if there is no such type. */
export function typeNotes(condition: Condition): (type: string) => string | null {
  const named = namedEventTypes(condition)
  const wanted = new Lookalikes([...named, ...RESERVED_TYPES])
  const known = new Map<string, string | null>()
  return (type) => {
    let note = known.get(type)
    if (note === undefined) {
      const lookalike = (named.has(type) ? null : wanted.of(type)) ?? plainOf(type)
      note = lookalike && noteOn(type, lookalike)
      known.set(type, note)
    }
    return note
  }
}

/** The type without what does not show, if there is anything of that. */
function plainOf(type: string): Lookalike | null {
  const text = plainSpelling(type)
  return text === type ? null : { text, by: 'hidden' }
}

function noteOn(type: string, { text: other, by }: Lookalike): string {
  const difference = differenceInWords(type, other, by)
  if (other === '') return `The type ${quoted(type)} consists only of ${difference}.`
  return `The type ${quoted(type)} differs from ${quoted(other)} only by ${difference}.`
}
