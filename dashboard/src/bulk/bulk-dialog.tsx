import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { JsonObject } from '../../../src/domain/json.ts'
import type { ClaimFilters, ClaimKind } from '../api/claims.ts'
import { session } from '../api/query-client.ts'
import { NO_EVENT } from '../components/event-form/event-draft.ts'
import { Dialog } from '../components/ui/dialog.tsx'
import { BulkRun } from './bulk-run.ts'
import { ConfirmStep } from './confirm-step.tsx'
import type { Counted } from './count-list.ts'
import { CountStep } from './count-step.tsx'
import { EventStep } from './event-step.tsx'
import { RunStep } from './run-step.tsx'

interface BulkDialogProps {
  kind: ClaimKind
  filters: ClaimFilters
  /** Types to choose from. */
  types: readonly string[]
  open: boolean
  onClose: () => void
}

/** One event to all of a list: it is written, they are counted, it is confirmed, sent and reported. */
export function BulkDialog({ kind, open, onClose, ...begun }: BulkDialogProps) {
  const queryClient = useQueryClient()
  const [run, setRun] = useState<BulkRun | null>(null)
  useEffect(() => {
    if (!run) return
    session.isHeld = true
    return () => {
      session.isHeld = false
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
      title={`Submit an event to all ${kind} of this list`}
      isHeld={run !== null}
      className="w-[min(40rem,calc(100vw-2rem))]"
    >
      {run ? <RunStep run={run} onClose={close} /> : <Preparation kind={kind} {...begun} onRun={begin} />}
    </Dialog>
  )
}

interface PreparationProps extends Pick<BulkDialogProps, 'kind' | 'filters' | 'types'> {
  onRun: (run: BulkRun) => void
}

/** All before anything is sent. The list is that of the moment at which it begins. */
function Preparation({ kind, types, onRun, ...begun }: PreparationProps) {
  const [filters] = useState(begun.filters)
  const [draft, setDraft] = useState(NO_EVENT)
  const [event, setEvent] = useState<(JsonObject & { type: string }) | null>(null)
  const [counted, setCounted] = useState<Counted[] | null>(null)
  const goBack = () => {
    setEvent(null)
    setCounted(null)
  }
  if (!event) return <EventStep draft={draft} onDraft={setDraft} types={types} onDone={setEvent} />
  if (!counted) return <CountStep kind={kind} filters={filters} onCounted={setCounted} onBack={goBack} />
  return (
    <ConfirmStep
      kind={kind}
      event={event}
      counted={counted}
      isWholeAccount={!saysWhich(filters)}
      onBack={goBack}
      onConfirm={(open) => onRun(new BulkRun(kind, event, open))}
    />
  )
}

/** Their order says nothing of it, and only OPEN ones take events anyway. */
const saysWhich = ({ sort: _, status: __, ...others }: ClaimFilters): boolean =>
  Object.values(others).some(Boolean)
