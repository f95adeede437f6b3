import type { ReactNode } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import type { BulkRun } from './bulk-run.ts'

interface EventIdProps {
  run: BulkRun
  children?: ReactNode
}

/** The event id, which allows a later retry by the API. */
export const EventId = ({ run, children }: EventIdProps) => (
  <div className="flex items-center gap-2 text-xs text-muted">
    <p>
      {children} The event id is <bdi className="font-mono">{run.event.id}</bdi>. An event that is sent again
      with this id is not recorded twice.
    </p>
    <CopyButton text={run.event.id} label="Copy id" />
  </div>
)
