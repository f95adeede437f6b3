import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, type Tagged } from './api/client.ts'

interface GuardedSave<Values, Kind> {
  /** What is there now. */
  read: () => Promise<Tagged<Kind>>
  /** Saves over this record, and over no other state of it; makes one if there is none yet. */
  save: (values: Values, base: Tagged<Kind> | null) => Promise<Tagged<Kind>>
  /** What a form of the record says. */
  valuesOf: (stored: Kind) => Values
  /** Of one's own values; or of what somebody else has saved, and one has taken. */
  onStored: (stored: Tagged<Kind>, by: 'me' | 'others') => void | Promise<void>
}

/** What one wants to save, and what somebody else has saved since one read it. */
interface Conflict<Values, Kind> {
  mine: Values
  theirs: Tagged<Kind>
}

type Outcome<Values, Kind> = { stored: Tagged<Kind> } | { conflict: Conflict<Values, Kind> }

/** Saves a form, but never over what its writer has not seen: that is shown first, beside their own. */
export function useGuardedSave<Values, Kind>(guarded: GuardedSave<Values, Kind>) {
  const [conflict, setConflict] = useState<Conflict<Values, Kind> | null>(null)
  const saving = useMutation({
    mutationFn: ({ mine, base }: { mine: Values; base: Tagged<Kind> | null }) => trySave(guarded, mine, base),
    onSuccess: async (outcome) => {
      setConflict('conflict' in outcome ? outcome.conflict : null)
      if ('stored' in outcome) await guarded.onStored(outcome.stored, 'me')
    },
  })
  return {
    save: (mine: Values, base: Tagged<Kind> | null) => saving.mutate({ mine, base }),
    error: saving.error,
    isPending: saving.isPending,
    reset: saving.reset,
    conflict,
    /** Over what is shown, and no later state. */
    overwrite: () => conflict && saving.mutate({ mine: conflict.mine, base: conflict.theirs }),
    takeTheirs: () => {
      setConflict(null)
      saving.reset()
      if (conflict) void guarded.onStored(conflict.theirs, 'others')
    },
    keepEditing: () => {
      setConflict(null)
      saving.reset()
    },
  }
}

async function trySave<Values, Kind>(
  { read, save, valuesOf }: GuardedSave<Values, Kind>,
  mine: Values,
  base: Tagged<Kind> | null,
): Promise<Outcome<Values, Kind>> {
  try {
    return { stored: await save(mine, base) }
  } catch (error) {
    if (!isChanged(error)) throw error
  }
  const theirs = await read()
  if (areSame(valuesOf(theirs), mine)) return { stored: theirs }
  // What else was changed is in nobody's form.
  if (base && areSame(valuesOf(theirs), valuesOf(base))) {
    try {
      return { stored: await save(mine, theirs) }
    } catch (error) {
      if (!isChanged(error)) throw error
      return { conflict: { mine, theirs: await read() } }
    }
  }
  return { conflict: { mine, theirs } }
}

const isChanged = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'PRECONDITION_FAILED'

const areSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
