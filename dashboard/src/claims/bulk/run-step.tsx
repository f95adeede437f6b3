import { Pause, Play, Square } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Button } from '../../components/button.tsx'
import { DialogActions } from '../../components/dialog.tsx'
import { LeaveGuard } from '../../components/leave-guard.tsx'
import { countText } from '../../format/count-text.ts'
import type { BulkRun, RunState } from './bulk-run.ts'
import { EventId } from './event-id.tsx'
import { Report } from './report.tsx'
import { problemText } from './same-account.ts'
import { Step } from './step.tsx'

/** The progress of a run, then its report. */
export function RunStep({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const state = useSyncExternalStore(run.subscribe, run.state)
  const hasEnded = state.phase === 'ended'
  const left = run.countUnfinished()
  return (
    <>
      {hasEnded ? <Report run={run} onClose={onClose} /> : <Progress run={run} state={state} />}
      {hasEnded ? (
        <LeaveGuard isNeeded={left > 0} onLeave={onClose} title="Leave the report?">
          {countText(left, run.kind)} {left === 1 ? 'has' : 'have'} not confirmed the event. If you leave, you
          can only send it again by its id.
        </LeaveGuard>
      ) : (
        <LeaveGuard isNeeded onLeave={onClose} title="Leave while events are being sent?">
          Events already sent stay recorded. The rest are not sent, and you get no report.
        </LeaveGuard>
      )}
    </>
  )
}

function Progress({ run, state }: { run: BulkRun; state: RunState }) {
  const { phase, isStopping, problem } = state
  const total = run.targets.length
  const done = total - run.countUnfinished()
  return (
    <Step label="Progress">
      <div className="grid gap-1.5">
        <progress
          aria-label="Sent"
          className="h-2.5 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
          max={total}
          value={done}
        />
        <p className="figures text-muted">
          {done.toLocaleString('en')} of {total.toLocaleString('en')}
        </p>
      </div>
      <p role="status">{wordsOf(state)}</p>
      {problem ? (
        <p className="rounded-lg bg-pending-soft px-3 py-2.5 wrap-anywhere text-pending">
          {problemText(problem, run.account)}
          {phase === 'running' ? ' Retrying automatically. Nothing is recorded twice.' : ''}
        </p>
      ) : null}
      <EventId run={run}>
        If you close this tab, events already sent stay recorded and the rest are not sent.
      </EventId>
      <DialogActions>
        {phase === 'running' ? (
          <Button pending={isStopping} onClick={run.pause}>
            <Pause aria-hidden /> Pause
          </Button>
        ) : (
          <Button variant="primary" onClick={run.start}>
            <Play aria-hidden /> Resume
          </Button>
        )}
        <Button onClick={run.stop}>
          <Square aria-hidden /> Stop
        </Button>
      </DialogActions>
    </Step>
  )
}

function wordsOf({ phase, isStopping, problem }: RunState): string {
  if (isStopping) return 'Waiting for the last answer…'
  if (phase === 'paused') return 'Paused: nothing is being sent.'
  return problem ? 'Waiting…' : 'Sending…'
}
