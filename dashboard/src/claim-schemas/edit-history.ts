/** An undo and redo history. */
export interface EditHistory<T> {
  /** The oldest first. */
  past: readonly T[]
  present: T
  /** The next first. */
  future: readonly T[]
  /** The text field that is being typed into. Further typing there belongs to the same edit. */
  typedField: string | null
}

export const MAX_EDITS = 100

export const beginHistory = <T>(present: T): EditHistory<T> => ({
  past: [],
  present,
  future: [],
  typedField: null,
})

export function record<T>(history: EditHistory<T>, present: T, typedField: string | null): EditHistory<T> {
  const goesOn = typedField !== null && typedField === history.typedField
  const past = goesOn ? history.past : [...history.past, history.present].slice(-MAX_EDITS)
  return { past, present, future: [], typedField }
}

/** Ends the edit of a field on blur. An edit without effect is dropped. */
export function leaveField<T>(
  history: EditHistory<T>,
  areSame: (one: T, other: T) => boolean,
): EditHistory<T> {
  if (history.typedField === null) return history
  const [before] = history.past.slice(-1)
  const isNone = before !== undefined && areSame(before, history.present)
  return { ...history, past: isNone ? history.past.slice(0, -1) : history.past, typedField: null }
}

export function undo<T>({ past, present, future }: EditHistory<T>): EditHistory<T> | null {
  const [before] = past.slice(-1)
  if (before === undefined) return null
  return { past: past.slice(0, -1), present: before, future: [present, ...future], typedField: null }
}

export function redo<T>({ past, present, future }: EditHistory<T>): EditHistory<T> | null {
  const [next, ...rest] = future
  if (next === undefined) return null
  return { past: [...past, present], present: next, future: rest, typedField: null }
}
