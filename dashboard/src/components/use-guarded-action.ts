import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isPreconditionFailed, type Tagged } from '../api/client.ts'
import { type Difference, differencesOf, type Texts } from './differences.tsx'

interface GuardedAction<Kind, Done> {
  /** Reads the current record. */
  read: () => Promise<Tagged<Kind>>
  /** Acts on this version of the record only. */
  act: (base: Tagged<Kind>) => Promise<Done>
  /** The visible fields of the record. */
  texts: Texts<Kind>
  onDone: (done: Done) => void | Promise<void>
}

export interface GuardedActing {
  error: Error | null
  isPending: boolean
  /** How the record differs from what the user saw. Null if there is no conflict. */
  changes: readonly Difference[] | null
  /** Acts on the shown version only. */
  actAnyway: () => void
  leave: () => void
}

/** Deletes or switches a record only as the user has seen it. If it has changed, the changes are shown first. */
export function useGuardedAction<Kind, Done>(guarded: GuardedAction<Kind, Done>) {
  const [found, setFound] = useState<{ seen: Kind; now: Tagged<Kind> } | null>(null)
  const acting = useMutation({
    mutationFn: (base: Tagged<Kind>) => tryAct(guarded, base),
    onSuccess: async (outcome, base) => {
      setFound('now' in outcome ? { seen: base, now: outcome.now } : null)
      if ('done' in outcome) await guarded.onDone(outcome.done)
    },
  })
  const { error, isPending } = acting
  return {
    act: (base: Tagged<Kind>) => acting.mutate(base),
    error,
    isPending,
    changes: found && differencesOf(guarded.texts, found.seen, found.now),
    actAnyway: () => {
      if (found) acting.mutate(found.now)
    },
    leave: () => {
      setFound(null)
      acting.reset()
    },
  }
}

async function tryAct<Kind, Done>(
  { read, act, texts }: GuardedAction<Kind, Done>,
  base: Tagged<Kind>,
): Promise<{ done: Done } | { now: Tagged<Kind> }> {
  try {
    return { done: await act(base) }
  } catch (error) {
    if (!isPreconditionFailed(error)) throw error
  }
  const now = await read()
  if (differencesOf(texts, base, now).length > 0) return { now }
  // The visible fields are the same as before.
  return { done: await act(now) }
}
