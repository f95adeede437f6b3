import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { JsonObject } from '../../../../src/kernel/json.ts'
import { accountQuery } from '../../api/account.ts'
import { isGiven } from '../../api/metadata-filters.ts'
import { session } from '../../api/query-client.ts'
import type { ClaimKind } from '../../api/records.ts'
import { Dialog } from '../../components/dialog.tsx'
import { NO_EVENT } from '../../events/event-draft.ts'
import type { ClaimFilters } from '../claims-api.ts'
import { BulkRun } from './bulk-run.ts'
import { ConfirmStep } from './confirm-step.tsx'
import type { CountedClaim } from './count-list.ts'
import { CountStep } from './count-step.tsx'
import { EventStep } from './event-step.tsx'
import { RunStep } from './run-step.tsx'

interface BulkDialogProps {
  kind: ClaimKind
  filters: ClaimFilters
  /** Suggested event types. */
  types: readonly string[]
  open: boolean
  onClose: () => void
}

/** Submits one event to all claims of a list. Steps: write the event, count the claims, confirm, send, report. */
export function BulkDialog({ kind, open, onClose, ...list }: BulkDialogProps) {
  const queryClient = useQueryClient()
  const [run, setRun] = useState<BulkRun | null>(null)
  useEffect(() => {
    if (!run) return
    session.mustStayOnPage = true
    return () => {
      session.mustStayOnPage = false
      run.stop()
      for (const key of [kind, 'overview']) void queryClient.invalidateQueries({ queryKey: [key] })
    }
  }, [run, kind, queryClient])
  const begin = (made: BulkRun) => {
    setRun(made)
    made.start()
  }
  const close = () => {
    setRun(null)
    onClose()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={`Submit an event to all ${kind} in this list`}
      isHeld={run !== null}
      className="w-[min(40rem,calc(100vw-2rem))]"
    >
      {run ? <RunStep run={run} onClose={close} /> : <Preparation kind={kind} {...list} onRun={begin} />}
    </Dialog>
  )
}

interface PreparationProps extends Pick<BulkDialogProps, 'kind' | 'filters' | 'types'> {
  onRun: (run: BulkRun) => void
}

/** The event and the filters when counting began. */
interface Chosen {
  event: JsonObject & { type: string }
  filters: ClaimFilters
}

/** The steps before sending. */
function Preparation({ kind, filters, types, onRun }: PreparationProps) {
  /** The owner of the list, even if another account signs in later. */
  const [account] = useState(useSuspenseQuery(accountQuery).data)
  const [draft, setDraft] = useState(NO_EVENT)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  /** Created once, so that a double click does not start two runs. */
  const [ready, setReady] = useState<{ counted: CountedClaim[]; run: BulkRun } | null>(null)
  const goBack = () => {
    setChosen(null)
    setReady(null)
  }
  if (!chosen) {
    return (
      <EventStep
        draft={draft}
        onDraft={setDraft}
        types={types}
        onDone={(event) => setChosen({ event, filters })}
      />
    )
  }
  if (!ready) {
    const take = (counted: CountedClaim[]) => {
      const open = counted.filter(({ acceptsEvents }) => acceptsEvents)
      setReady({ counted, run: new BulkRun(kind, chosen.event, open, account) })
    }
    return (
      <CountStep kind={kind} filters={chosen.filters} account={account} onCounted={take} onBack={goBack} />
    )
  }
  return (
    <ConfirmStep
      {...ready}
      filters={chosen.filters}
      isWholeAccount={!saysWhich(chosen.filters)}
      onBack={goBack}
      onConfirm={() => onRun(ready.run)}
    />
  )
}

/** Order and status do not restrict the recipients: only claims that are OPEN or in such a review take events. */
const saysWhich = ({ sort: _, status: __, ...others }: ClaimFilters): boolean =>
  Object.entries(others).some(isGiven)
