import { ArrowRight, Circle, Cog, Flag } from 'lucide-react'
import { useState } from 'react'
import type { ClaimEvent, StatusTransition } from '../api/records.ts'
import { legibleJson } from '../isolated.ts'
import { Button } from './ui/button.tsx'
import { CodeBlock } from './ui/code-block.tsx'
import { STATUS_ICON, StatusBadge } from './ui/status-badge.tsx'
import { DateTime } from './ui/time.tsx'

interface TimelineProps {
  openedAt: string
  events: readonly ClaimEvent[]
  transitions: readonly StatusTransition[]
}

/** Events that are shown at first: a log may hold ten thousand. */
const FIRST_SHOWN = 100

/** Events and the transitions that they caused, newest first: what happened last is what one looks for. */
export function Timeline({ openedAt, events, transitions }: TimelineProps) {
  const [shown, setShown] = useState(FIRST_SHOWN)
  const causedBy = Map.groupBy(transitions, ({ because }) => because.event_id ?? '')
  const newestFirst = events.toReversed()
  return (
    <ol className="relative grid grid-cols-1 gap-4 before:absolute before:top-2 before:bottom-2 before:left-[0.6875rem] before:w-px before:bg-line">
      {newestFirst.slice(0, shown).map((event) => (
        <li
          key={event.id}
          id={anchorOf(event.id)}
          className="grid scroll-mt-20 grid-cols-1 gap-3 target:bg-accent-soft"
        >
          {causedBy.get(event.id)?.map((transition) => (
            <TransitionEntry key={transition.to} transition={transition} />
          ))}
          <EventEntry event={event} />
        </li>
      ))}
      {newestFirst.length > shown ? (
        <li className="relative pl-9">
          <Button size="sm" onClick={() => setShown(shown * 10)}>
            Show {Math.min(shown * 9, newestFirst.length - shown)} earlier events
          </Button>
        </li>
      ) : (
        <li className="relative flex min-h-6 flex-wrap items-center gap-x-3 pl-9">
          <Marker icon={Flag} />
          <span className="font-medium">Opened</span>
          <DateTime at={openedAt} className="text-xs text-muted" />
        </li>
      )}
    </ol>
  )
}

/** An event's id may hold any characters. */
export const anchorOf = (eventId: string): string => `event-${encodeURIComponent(eventId)}`

function Marker({ icon: Icon, className = 'text-muted' }: { icon: typeof Circle; className?: string }) {
  return (
    <span
      className={`absolute top-0 left-0 grid size-6 place-items-center rounded-full border bg-surface ${className}`}
    >
      <Icon aria-hidden className="size-3.5" />
    </span>
  )
}

const MARKER_TONE = {
  OPEN: 'text-open',
  PENDING: 'text-pending',
  CONFIRMED: 'text-confirmed',
  FAILED: 'text-failed',
} as const

function TransitionEntry({ transition: { from, to, at, because } }: { transition: StatusTransition }) {
  return (
    <div className="relative pl-9">
      <Marker icon={STATUS_ICON[to]} className={MARKER_TONE[to]} />
      <div className="flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="inline-flex items-center gap-1.5">
          <StatusBadge status={from} />
          <ArrowRight aria-label="to" className="size-3 text-muted" />
          <StatusBadge status={to} />
        </span>
        <DateTime at={at} className="text-xs text-muted" />
      </div>
      <p className="text-xs text-muted">{reasonOf(because)}</p>
    </div>
  )
}

function reasonOf({ window_elapsed }: StatusTransition['because']): string {
  if (window_elapsed === 'activity_window') return 'because the activity window elapsed'
  if (window_elapsed === 'review_window') return 'because the review window elapsed'
  return 'because the event below satisfied the condition'
}

function EventEntry({ event }: { event: ClaimEvent }) {
  const { id, type, created_at, system, ...payload } = event
  const hasPayload = Object.keys(payload).length > 0
  return (
    <div className="relative min-w-0 pl-9">
      <Marker
        icon={system ? Cog : Circle}
        className={system ? 'text-muted' : 'text-accent [&_svg]:size-2 [&_svg]:fill-current'}
      />
      <div className="flex min-h-6 flex-wrap items-center gap-x-3">
        <bdi className={system ? 'text-muted' : 'font-medium'}>{type}</bdi>
        <DateTime at={created_at} className="text-xs text-muted" />
      </div>
      {system ? null : (
        <p className="text-xs text-muted">
          id <bdi className="font-mono">{id}</bdi>
        </p>
      )}
      {hasPayload ? <Payload text={legibleJson(JSON.stringify(payload))} /> : null}
    </div>
  )
}

/** Longer payloads are folded: one may have 256 KiB. */
const UNFOLDED_LENGTH = 400

function Payload({ text }: { text: string }) {
  if (text.length > UNFOLDED_LENGTH) {
    return (
      <details className="mt-1">
        <summary className="text-xs text-muted">
          Payload of {text.length.toLocaleString('en')} characters
        </summary>
        <CodeBlock text={legibleJson(JSON.stringify(JSON.parse(text), null, 2))} label="payload" wrap />
      </details>
    )
  }
  return (
    <p className="mt-1 w-fit max-w-full rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs">
      <bdi>{text}</bdi>
    </p>
  )
}
