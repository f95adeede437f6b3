import { ArrowRight, Ban, CheckCheck, Circle, Flag } from 'lucide-react'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { StatusTransition } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { StatusBadge } from '../components/status-badge.tsx'
import { useTimeTitle } from '../components/time.tsx'
import { useMoney } from '../components/use-money.ts'
import { EFFECT_ICON, EFFECT_TONE, EFFECT_WORDS, lateInWords } from '../events/event-effects.ts'
import { escapeBidiControls } from '../format/bidi.ts'
import { shortDuration } from '../format/short-duration.ts'
import type { Simulation, SimulationEntry } from './simulations-api.ts'

interface TrialTimelineProps {
  simulation: Simulation
  contract: Contract
}

/** The simulated timeline and the final state. */
export function TrialTimeline({ simulation, contract }: TrialTimelineProps) {
  const { opened_at, timeline, final } = simulation
  const money = useMoney()
  const outcome =
    final.status === 'CONFIRMED'
      ? `It is worth ${money(contract.price)}.`
      : final.status === 'FAILED'
        ? 'It is worth nothing.'
        : ''
  return (
    <>
      <p
        role="status"
        aria-label="Final state"
        className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-lg bg-sunken px-3.5 py-2.5"
      >
        Result: <StatusBadge status={final.status} scheduledOutcome={final.scheduled_outcome} />
        <span className="text-muted">
          <After opened={opened_at} at={final.status_since} />. {outcome}
        </span>
      </p>
      <ol
        aria-label="Simulated timeline"
        className="relative grid grid-cols-1 gap-3.5 before:absolute before:top-2 before:bottom-2 before:left-[0.6875rem] before:w-px before:bg-line"
      >
        <li className="relative flex min-h-6 items-center gap-3 pl-9">
          <Marker icon={Flag} />
          <span className="font-medium">Opened</span>
        </li>
        {timeline.map((entry, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the entries of a simulation do not change
          <li key={i} className="relative min-w-0 pl-9">
            <Entry entry={entry} opened={opened_at} />
          </li>
        ))}
      </ol>
    </>
  )
}

function Entry({ entry, opened }: { entry: SimulationEntry; opened: string }) {
  if (entry.kind === 'transition') {
    return (
      <>
        <Marker icon={ArrowRight} />
        <div className="flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1">
          <StatusBadge status={entry.from} />
          <ArrowRight aria-label="to" className="size-3 text-muted" />
          <StatusBadge status={entry.to} />
          <After opened={opened} at={entry.at} />
        </div>
        <p className="text-xs text-muted">{reasonOf(entry.because)}</p>
      </>
    )
  }
  const { id: _, type, created_at: __, system: ___, ...payload } = entry.event
  const { effect, late_by } = entry
  const icon = entry.accepted ? (entry.replayed ? CheckCheck : effect ? EFFECT_ICON[effect] : Circle) : Ban
  return (
    <>
      <Marker icon={icon} className={entry.accepted ? 'text-accent' : 'text-failed'} />
      <div className="flex min-h-6 flex-wrap items-center gap-x-2">
        <bdi className="font-medium">{type}</bdi>
        <span className={entry.accepted ? 'text-xs text-confirmed' : 'text-xs font-medium text-failed'}>
          {entry.accepted ? (entry.replayed ? 'accepted (repeat)' : 'accepted') : `refused: ${entry.code}`}
        </span>
        <After opened={opened} at={entry.at} />
        {effect ? <Badge tone={EFFECT_TONE[effect]}>{EFFECT_WORDS[effect]}</Badge> : null}
        {late_by === undefined ? null : <Badge>{lateInWords(late_by)}</Badge>}
      </div>
      {Object.keys(payload).length > 0 ? (
        <p className="font-mono text-xs text-muted">
          <bdi>{escapeBidiControls(JSON.stringify(payload))}</bdi>
        </p>
      ) : null}
    </>
  )
}

function reasonOf({ window_elapsed }: StatusTransition['because']): string {
  if (window_elapsed === 'activity_window') return 'the activity window elapsed'
  if (window_elapsed === 'review_window') return 'the review window elapsed'
  return 'the event satisfied the condition'
}

function After({ opened, at }: { opened: string; at: string }) {
  const difference = Date.parse(at) - Date.parse(opened)
  return (
    <time dateTime={at} title={useTimeTitle()(at)} className="text-xs whitespace-nowrap text-muted">
      {difference === 0 ? 'immediately' : `after ${shortDuration(difference)}`}
    </time>
  )
}

function Marker({ icon: Icon, className = 'text-muted' }: { icon: typeof Circle; className?: string }) {
  return (
    <span
      className={`absolute top-0 left-0 grid size-6 place-items-center rounded-full border bg-surface ${className}`}
    >
      <Icon aria-hidden className="size-3.5" />
    </span>
  )
}
