import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import { errorsByPath } from '../api/client.ts'
import { serverNow } from '../api/server-time.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { FormError } from '../components/form-error.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { HintList } from '../contracts/contract-hints.tsx'
import { simulationQuery } from './simulations-api.ts'
import { type TrialEvent, toRequest } from './trial-events.ts'
import { TrialForm } from './trial-form.tsx'
import { TrialTimeline } from './trial-timeline.tsx'

/** After the last key. */
const DELAY_MS = 250

/** Simulates the edited contract with events. The service decides and stores nothing. */
export function LiveTrial({ contract }: { contract: Contract | null }) {
  const [events, setEvents] = useState<TrialEvent[]>([])
  const [openedAt] = useState(() => new Date(Math.floor(serverNow() / 60_000) * 60_000).toISOString())
  const last = useLastComplete(contract)
  const wanted = useMemo(() => last && toRequest(last, openedAt, events), [last, openedAt, events])
  const asked = useDebounced(wanted, DELAY_MS)
  const { data, error } = useQuery(simulationQuery(asked?.request ?? null))
  return (
    <Card aria-label="Live trial" className="mt-5">
      <CardHeader
        title="Live trial"
        description="Add events and see how a claim with this contract would be decided. Nothing is stored."
      />
      <CardBody className="grid grid-cols-1 items-start gap-x-8 gap-y-6 lg:grid-cols-2">
        <TrialForm
          events={events}
          onChange={setEvents}
          contract={last}
          errors={errorsByEvent(error, asked?.ids ?? [])}
        />
        <div className="grid grid-cols-1 gap-3" aria-busy={asked !== wanted}>
          {data && !contract ? (
            <p className="text-xs text-muted">Result for the last complete contract:</p>
          ) : null}
          {error && !data ? <FormError error={error} /> : null}
          {data && last ? (
            <>
              <TrialTimeline simulation={data} contract={last} />
              <HintList hints={data.hints.filter(({ event_ids }) => event_ids !== undefined)} />
            </>
          ) : (
            <p className="flex items-center gap-2 rounded-lg border border-dashed px-4 py-6 text-muted">
              <Play aria-hidden className="size-4 shrink-0" /> The trial starts once the contract is complete.
            </p>
          )}
        </div>
      </CardBody>
    </Card>
  )
}

/** The last complete contract, shown while the contract is being edited. */
function useLastComplete(contract: Contract | null): Contract | null {
  const [last, setLast] = useState(contract)
  if (contract && contract !== last) setLast(contract)
  return contract ?? last
}

/** The errors of the service, by event id and field. */
function errorsByEvent(error: unknown, ids: readonly string[]): Record<string, string> {
  const found = Object.entries(errorsByPath(error)).map(([path, message]) => {
    const [, index, field = ''] = /^events\[(\d+)\]\.?(.*)$/.exec(path) ?? []
    return [`${ids[Number(index)]}.${field}`, field && field !== 'type' ? `${field}: ${message}` : message]
  })
  return Object.fromEntries(found)
}
