import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { DialogActions } from '../../components/dialog.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useLocalTime } from '../../components/use-local-time.ts'
import { countText } from '../../format/count-text.ts'
import { LinkByName } from '../claim-link.tsx'
import type { BulkRun, Result, Target } from './bulk-run.ts'
import { EventId } from './event-id.tsx'
import { downloadReport } from './report-csv.ts'
import { Step } from './step.tsx'

/** Claims shown per group. The CSV file has all. */
const MAX_SHOWN = 50

const WORDS: Record<Result, { title: string; meaning?: string }> = {
  recorded: { title: 'Recorded' },
  repeated: {
    title: 'Already recorded',
    meaning:
      'An event with this id and content was already there, from before or from an unanswered attempt of this run. Nothing was recorded twice.',
  },
  misdirected: {
    title: 'Recorded by another candidate',
    meaning:
      'The candidate was deleted with its test clock, and another one was created with the same alias. The new candidate has the event.',
  },
  refused: { title: 'Refused' },
  unanswered: {
    title: 'No answer',
    meaning: 'The event may have been recorded. Send the rest to find out. Nothing is recorded twice.',
  },
  gone: {
    title: 'No answer, gone since',
    meaning:
      'The event was sent and not answered. The record has since been deleted or archived, so the result is unknown.',
  },
  waiting: { title: 'Not sent' },
}

/** The results of a run. */
export function Report({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const { targets } = run
  const { timeZone } = useLocalTime()
  const targetsOf = (result: Result) => targets.filter((target) => target.result === result)
  const shown = (Object.keys(WORDS) as Result[]).filter((result) => targetsOf(result).length > 0)
  const isDone = run.countUnfinished() === 0
  return (
    <Step label="Report">
      <dl className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        {(shown.includes('recorded') ? shown : (['recorded', ...shown] as const)).map((result) => (
          <div key={result} className="rounded-lg bg-sunken px-3 py-2">
            <dt className="text-xs text-muted">{WORDS[result].title}</dt>
            <dd className="figures text-lg font-semibold">{targetsOf(result).length.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      <Statuses recorded={targetsOf('recorded')} />
      {shown
        .filter((result) => result !== 'recorded')
        .map((result) => (
          <Group key={result} title={WORDS[result].title} meaning={WORDS[result].meaning}>
            {[...Map.groupBy(targetsOf(result), ({ code }) => code)].map(([code, group]) => (
              <CodeGroup key={code} run={run} code={code} group={group} />
            ))}
          </Group>
        ))}
      <EventId run={run} />
      <DialogActions>
        {isDone ? null : (
          <Button variant="primary" onClick={run.start}>
            Send the rest
          </Button>
        )}
        <Button onClick={() => downloadReport(run, timeZone)}>
          <Download aria-hidden /> Download report
        </Button>
        <Button variant={isDone ? 'primary' : 'secondary'} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Step>
  )
}

/** The statuses of the claims that recorded the event. */
function Statuses({ recorded }: { recorded: readonly Target[] }) {
  const groups = Map.groupBy(
    recorded,
    (target) => `${target.before} ${target.status} ${target.scheduledOutcome} ${target.isReplay}`,
  )
  return (
    <ul aria-label="Statuses" className="grid gap-1.5 empty:hidden">
      {[...groups].map(([key, [first, ...more]]) =>
        first?.status ? (
          <li key={key} className="flex flex-wrap items-center gap-x-2">
            <span className="figures">{(more.length + 1).toLocaleString('en')}</span>
            {wordsOf(first, more.length + 1)}
            <StatusBadge status={first.status} scheduledOutcome={first.scheduledOutcome} />
          </li>
        ) : null,
      )}
    </ul>
  )
}

function wordsOf({ before, status, isReplay }: Target, count: number): string {
  if (isReplay) return count === 1 ? 'is now' : 'are now'
  return status === before ? 'stayed' : 'became'
}

interface GroupProps {
  title: string
  meaning: string | undefined
  children: ReactNode
}

const Group = ({ title, meaning, children }: GroupProps) => (
  <section aria-label={title} className="grid grid-cols-1 gap-1.5">
    <h3 className="font-medium">{title}</h3>
    {meaning ? <p className="text-muted">{meaning}</p> : null}
    {children}
  </section>
)

/** The targets with one error code and the message of the first target. */
function CodeGroup({ run, code, group }: { run: BulkRun; code: string | null; group: readonly Target[] }) {
  return (
    <details className="rounded-lg border px-3 py-2">
      <summary className="wrap-anywhere">
        <span className="figures font-medium">{countText(group.length, run.kind)}</span>
        {code ? <span className="font-mono text-xs"> {code}</span> : null}
        {group[0]?.message ? <bdi className="text-muted"> {group[0].message}</bdi> : null}
      </summary>
      <ul className="mt-2 grid max-h-48 grid-cols-1 gap-1 overflow-auto">
        {group.slice(0, MAX_SHOWN).map(({ name, reference }) => (
          <li key={name}>
            <LinkByName kind={run.kind} name={name} reference={reference} target="_blank" />
          </li>
        ))}
      </ul>
      {group.length > MAX_SHOWN ? (
        <p className="mt-1 text-xs text-muted">The first {MAX_SHOWN}. The downloaded report lists all.</p>
      ) : null}
    </details>
  )
}
