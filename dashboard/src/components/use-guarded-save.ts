import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isPreconditionFailed, type Tagged } from '../api/client.ts'

interface GuardedSave<Values, Kind> {
  /** Reads the current record. */
  read: () => Promise<Tagged<Kind>>
  /** Saves over this version of the record only. Creates the record if `base` is null. */
  save: (values: Values, base: Tagged<Kind> | null) => Promise<Tagged<Kind>>
  /** The form's values of a record. If the form has only some fields, `mine` says which. */
  valuesOf: (stored: Kind, mine: Values) => Values
  /** Called after a save ('me') or after accepting the saved version ('others'). */
  onStored: (stored: Tagged<Kind>, by: 'me' | 'others') => void | Promise<void>
}

export interface GuardedSaving<Values> {
  error: Error | null
  isPending: boolean
  /** The user's values and the values saved meanwhile. Null if there is no conflict. */
  conflict: { mine: Values; theirs: Values } | null
  /** Saves over the shown version only. */
  overwrite: () => void
  takeTheirs: () => void
  keepEditing: () => void
}

interface Found<Values, Kind> {
  mine: Values
  record: Tagged<Kind>
}

type Outcome<Values, Kind> = { stored: Tagged<Kind> } | { conflict: Found<Values, Kind> }

/** Saves a form without overwriting changes that the user has not seen. Conflicting values are shown first. */
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
    if (!isPreconditionFailed(error)) throw error
  }
  const theirs = await read()
  if (areSame(valuesOf(theirs, mine), mine)) return { stored: theirs }
  // The changes are in fields that the form does not have.
  if (base && areSame(valuesOf(theirs, mine), valuesOf(base, mine))) {
    try {
      return { stored: await save(mine, theirs) }
    } catch (error) {
      if (!isPreconditionFailed(error)) throw error
      return { conflict: { mine, record: await read() } }
    }
  }
  return { conflict: { mine, record: theirs } }
}

const areSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
