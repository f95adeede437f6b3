import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isChangedSince, type Tagged } from './api/client.ts'

interface GuardedSave<Values, Kind> {
  /** What is there now. */
  read: () => Promise<Tagged<Kind>>
  /** Saves over this record, and over no other state of it; makes one if there is none yet. */
  save: (values: Values, base: Tagged<Kind> | null) => Promise<Tagged<Kind>>
  /** What a form of the record says; of a form that says but some of it, what this one is about. */
  valuesOf: (stored: Kind, mine: Values) => Values
  /** Of one's own values; or of what somebody else has saved, and one has taken. */
  onStored: (stored: Tagged<Kind>, by: 'me' | 'others') => void | Promise<void>
}

export interface GuardedSaving<Values> {
  error: Error | null
  isPending: boolean
  /** What one wants to save, and what somebody else has saved since one read it; null if there is none. */
  conflict: { mine: Values; theirs: Values } | null
  /** Over what is shown, and no later state. */
  overwrite: () => void
  takeTheirs: () => void
  keepEditing: () => void
}

interface Found<Values, Kind> {
  mine: Values
  record: Tagged<Kind>
}

type Outcome<Values, Kind> = { stored: Tagged<Kind> } | { conflict: Found<Values, Kind> }

/** Saves a form, but never over what its writer has not seen: that is shown first, beside their own. */
export function useGuardedSave<Values, Kind>(guarded: GuardedSave<Values, Kind>) {
  const [found, setFound] = useState<Found<Values, Kind> | null>(null)
  const saving = useMutation({
    mutationFn: ({ mine, base }: { mine: Values; base: Tagged<Kind> | null }) => trySave(guarded, mine, base),
    onSuccess: async (outcome) => {
      setFound('conflict' in outcome ? outcome.conflict : null)
      if ('stored' in outcome) await guarded.onStored(outcome.stored, 'me')
    },
  })
  const keepEditing = () => {
    setFound(null)
    saving.reset()
  }
  const { error, isPending, reset } = saving
  return {
    save: (mine: Values, base: Tagged<Kind> | null) => saving.mutate({ mine, base }),
    reset,
    error,
    isPending,
    conflict: found && { mine: found.mine, theirs: guarded.valuesOf(found.record, found.mine) },
    overwrite: () => {
      if (found) saving.mutate({ mine: found.mine, base: found.record })
    },
    takeTheirs: () => {
      keepEditing()
      if (found) void guarded.onStored(found.record, 'others')
    },
    keepEditing,
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
    if (!isChangedSince(error)) throw error
  }
  const theirs = await read()
  if (areSame(valuesOf(theirs, mine), mine)) return { stored: theirs }
  // What else was changed is in nobody's form.
  if (base && areSame(valuesOf(theirs, mine), valuesOf(base, mine))) {
    try {
      return { stored: await save(mine, theirs) }
    } catch (error) {
      if (!isChangedSince(error)) throw error
      return { conflict: { mine, record: await read() } }
    }
  }
  return { conflict: { mine, record: theirs } }
}

const areSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
