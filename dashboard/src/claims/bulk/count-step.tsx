import { useEffect, useState } from 'react'
import type { Account, ClaimKind } from '../../api/records.ts'
import { Button } from '../../components/button.tsx'
import { CancelButton, DialogActions } from '../../components/dialog.tsx'
import { FormError } from '../../components/form-error.tsx'
import type { ClaimFilters } from '../claims-api.ts'
import { type CountedClaim, countList, MAX_CLAIMS, TooManyClaimsError } from './count-list.ts'
import { problemText } from './same-account.ts'
import { Step } from './step.tsx'

interface CountStepProps {
  kind: ClaimKind
  filters: ClaimFilters
  account: Account
  onCounted: (counted: CountedClaim[]) => void
  onBack: () => void
}

/** Counts the claims of the list before the event is sent. */
export function CountStep({ kind, filters, account, onCounted, onBack }: CountStepProps) {
  const [progress, setProgress] = useState<{ found: number; problem: unknown }>({ found: 0, problem: null })
  const [error, setError] = useState<unknown>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is counted once, with the filters at the start
  useEffect(() => {
    const stop = new AbortController()
    countList(kind, filters, account, stop.signal, (found, problem) => setProgress({ found, problem })).then(
      onCounted,
      (thrown: unknown) => {
        if (!stop.signal.aborted) setError(thrown)
      },
    )
    return () => stop.abort()
  }, [])
  const { problem } = progress
  return (
    <Step label="Count">
      {error === null ? (
        <p role="status">
          Counting: <strong className="figures">{progress.found.toLocaleString('en')}</strong> {kind} so far…
        </p>
      ) : null}
      {error !== null ? (
        <FormError
          error={error instanceof TooManyClaimsError ? tooMany(kind) : problemText(error, account)}
        />
      ) : problem !== null ? (
        <FormError error={`${problemText(problem, account)} Retrying automatically.`} />
      ) : null}
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <CancelButton />
      </DialogActions>
    </Step>
  )
}

const tooMany = (kind: ClaimKind) =>
  `The list has more than ${MAX_CLAIMS.toLocaleString('en')} ${kind}, the maximum for one event. ` +
  'Narrow the filters, for example to status OPEN or to a range of creation times.'
