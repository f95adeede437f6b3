import type { ReactNode } from 'react'
import { CopyButton } from '../components/ui/copy-button.tsx'
import type { BulkRun } from './bulk-run.ts'

interface EventIdProps {
  run: BulkRun
  children?: ReactNode
}

/** By which it can be found out, or sent again, if all else is lost. */
export const EventId = ({ run, children }: EventIdProps) => (
  <div className="flex items-center gap-2 text-xs text-muted">
    <p>
      {children} Each event has the id <bdi className="font-mono">{run.event.id}</bdi>: sent again with it, it
      is recorded once.
    </p>
    <CopyButton text={run.event.id} label="Copy id" />
  </div>
)
