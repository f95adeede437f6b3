import { Pause, Play, Square } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { Button } from '../components/ui/button.tsx'
import { DialogActions } from '../components/ui/dialog.tsx'
import type { BulkRun, RunState } from './bulk-run.ts'
import { numberOf } from './count-list.ts'
import { EventId } from './event-id.tsx'
import { Report } from './report.tsx'
import { troubleInWords } from './same-account.ts'
import { Step } from './step.tsx'

/** The event on its way, and then what became of it. */
export function RunStep({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const state = useSyncExternalStore(run.subscribe, run.state)
  const hasEnded = state.phase === 'ended'
  const left = run.countLeft()
  return (
    <>
      {hasEnded ? <Report run={run} onClose={onClose} /> : <Progress run={run} state={state} />}
      {hasEnded ? (
        <LeaveGuard isNeeded={left > 0} onLeave={onClose} title="Leave the report?">
          {numberOf(left, run.kind)} {left === 1 ? 'was' : 'were'} not sent the event, or did not answer. From
          here it can still be sent; elsewhere only by its id.
        </LeaveGuard>
      ) : (
        <LeaveGuard isNeeded onLeave={onClose} title="Leave while events are being sent?">
          What was sent stays recorded, the rest is not sent, and there is no report.
        </LeaveGuard>
      )}
    </>
  )
}

function Progress({ run, state }: { run: BulkRun; state: RunState }) {
  const { phase, isSettling, trouble } = state
  const total = run.targets.length
  const done = total - run.countLeft()
  return (
    <Step label="Progress">
      <div className="grid gap-1.5">
        <progress
          aria-label="Claims that are done"
          className="h-2.5 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
          max={total}
          value={done}
        />
        <p className="figures text-muted">
          {done.toLocaleString('en')} of {total.toLocaleString('en')}
        </p>
      </div>
      <p role="status">{wordsOf(state)}</p>
      {trouble ? (
        <p className="rounded-lg bg-pending-soft px-3 py-2.5 wrap-anywhere text-pending">
          {troubleInWords(trouble, run.account)}
          {phase === 'running' ? ' It is tried again by itself, and nothing is recorded twice.' : ''}
        </p>
      ) : null}
      <EventId run={run}>
        If this tab is closed, what was sent stays recorded, and the rest is not sent.
      </EventId>
      <DialogActions>
        {phase === 'running' ? (
          <Button pending={isSettling} onClick={run.pause}>
            <Pause aria-hidden /> Pause
          </Button>
        ) : (
          <Button variant="primary" onClick={run.start}>
            <Play aria-hidden /> Go on
          </Button>
        )}
        <Button onClick={run.stop}>
          <Square aria-hidden /> Stop
        </Button>
      </DialogActions>
    </Step>
  )
}

function wordsOf({ phase, isSettling, trouble }: RunState): string {
  if (isSettling) return 'Waiting for the last answer…'
  if (phase === 'paused') return 'Paused: nothing is being sent.'
  return trouble ? 'Waiting…' : 'Sending…'
}
