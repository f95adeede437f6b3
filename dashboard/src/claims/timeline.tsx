import { ArrowRight, Circle, Cog, Flag, Lightbulb } from 'lucide-react'
import { memo, useEffect, useState } from 'react'
import type { ClaimEvent, StatusTransition } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { CodeBlock } from '../components/code-block.tsx'
import { STATUS_ICON, StatusBadge } from '../components/status-badge.tsx'
import { DateTime } from '../components/time.tsx'
import { escapeBidiControls } from '../format/bidi.ts'
import { areSameMarks, type EventMark, type EventMarks } from './event-marks.ts'

interface TimelineProps {
  openedAt: string
  events: readonly ClaimEvent[]
  transitions: readonly StatusTransition[]
  marks: EventMarks
  /** A note about an event type, or null. */
  noteOf: (type: string) => string | null
}

/** Events and the transitions that they caused, newest first. */
export function Timeline({ openedAt, events, ...shared }: TimelineProps) {
  const chunks = chunksOf(events)
  const { shown, next, isComing, showMore } = useShownChunks(chunks.length)
  const eventsOfNext = chunks.slice(chunks.length - next, chunks.length - shown).flat().length
  return (
    <ol
      aria-busy={isComing}
      className="relative before:absolute before:top-2 before:bottom-2 before:left-[0.6875rem] before:w-px before:bg-line"
    >
      {chunks
        .slice(chunks.length - shown)
        .reverse()
        .map((chunk) => (
          <Chunk key={chunk[0]?.id} events={chunk} {...shared} />
        ))}
      {shown < chunks.length ? (
        <li className="relative pl-9">
          <Button size="sm" pending={isComing} onClick={showMore}>
            {isComing ? 'Showing more…' : `Show ${eventsOfNext.toLocaleString('en')} earlier events`}
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

type ChunkProps = Omit<TimelineProps, 'openedAt'>

const causedBy = (event: ClaimEvent, transitions: readonly StatusTransition[]) =>
  transitions.filter(({ because }) => because.event_id === event.id)

/** Items outside the viewport are not laid out or painted. */
const ITEM =
  'grid scroll-mt-20 grid-cols-1 gap-3 pb-4 [contain-intrinsic-size:auto_4.5rem] [content-visibility:auto] target:bg-accent-soft'

const Chunk = memo(function Chunk({ events, transitions, marks, noteOf }: ChunkProps) {
  return events.toReversed().map((event) => (
    <li key={event.id} id={anchorOf(event.id)} className={ITEM}>
      {causedBy(event, transitions).map((transition) => (
        <TransitionEntry key={transition.to} transition={transition} />
      ))}
      <EventEntry
        event={event}
        marks={marks.get(event.id) ?? []}
        note={event.system ? null : noteOf(event.type)}
      />
    </li>
  ))
}, isSameChunk)

/** Compares by identity: the query cache keeps unchanged events as the same objects. */
function isSameChunk(before: ChunkProps, now: ChunkProps): boolean {
  if (before.events.length !== now.events.length) return false
  if (!before.events.every((event, i) => event === now.events[i])) return false
  if (!now.events.every(({ id }) => areSameMarks(before.marks, now.marks, id))) return false
  if (before.transitions === now.transitions) return true
  const causes = [...before.transitions, ...now.transitions].map(({ because }) => because.event_id)
  return !now.events.some(({ id }) => causes.includes(id))
}

/** An event id may contain any characters. */
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

interface EventEntryProps {
  event: ClaimEvent
  marks: readonly EventMark[]
  note: string | null
}

function EventEntry({ event, marks, note }: EventEntryProps) {
  const { id, type, created_at, system, ...payload } = event
  const hasPayload = Object.keys(payload).length > 0
  return (
    <div className="relative min-w-0 pl-9">
      <Marker
        icon={system ? Cog : Circle}
        className={system ? 'text-muted' : 'text-accent [&_svg]:size-2 [&_svg]:fill-current'}
      />
      <div className="flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1">
        <bdi className={system ? 'text-muted' : 'font-medium'}>{type}</bdi>
        <DateTime at={created_at} className="text-xs text-muted" />
        {marks.map(({ text, tone }) => (
          <Badge key={text} tone={tone}>
            {text}
          </Badge>
        ))}
      </div>
      {system ? null : (
        <p className="text-xs text-muted">
          id <bdi className="font-mono">{id}</bdi>
        </p>
      )}
      {note === null ? null : (
        <p className="mt-1 flex gap-1.5 text-xs text-pretty text-muted [overflow-wrap:anywhere]">
          <Lightbulb aria-hidden className="mt-px size-3.5 shrink-0 text-accent" />
          {note}
        </p>
      )}
      {hasPayload ? <Payload text={escapeBidiControls(JSON.stringify(payload))} /> : null}
    </div>
  )
}

/** Longer payloads are collapsed. A payload may have 256 KiB. */
const UNFOLDED_LENGTH = 400

function Payload({ text }: { text: string }) {
  if (text.length > UNFOLDED_LENGTH) {
    return (
      <details className="mt-1">
        <summary className="text-xs text-muted">
          Payload of {text.length.toLocaleString('en')} characters
        </summary>
        <CodeBlock
          text={escapeBidiControls(JSON.stringify(JSON.parse(text), null, 2))}
          label="payload"
          wrap
        />
      </details>
    )
  }
  return (
    <p className="mt-1 w-fit max-w-full rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs">
      <bdi>{text}</bdi>
    </p>
  )
}

/** Events per chunk. A chunk is rendered and re-rendered as a whole. */
const CHUNK_SIZE = 100

/** Chunks shown initially. A log may hold `MAX_EVENTS` events. */
const FIRST_SHOWN = 1
/** Factor by which "show more" increases the number of chunks. */
const GROWTH = 10

/** Chunks counted from the first item, so that an added item changes only the last chunk. */
function chunksOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / CHUNK_SIZE)
  return Array.from({ length: count }, (_, i) => items.slice(i * CHUNK_SIZE, (i + 1) * CHUNK_SIZE))
}

/** The number of chunks to show. Chunks are added one per task, so that the page stays responsive.
 */
function useShownChunks(count: number) {
  const [wanted, setWanted] = useState(FIRST_SHOWN)
  const [shown, setShown] = useState(FIRST_SHOWN)
  // The last chunk may have few items, so one more chunk is shown.
  const most = Math.min(count, wanted + 1)
  const more = wanted * GROWTH
  useEffect(() => {
    if (shown >= most) return
    const timer = setTimeout(() => setShown(shown + 1))
    return () => clearTimeout(timer)
  }, [shown, most])
  return {
    shown: Math.min(shown, most),
    /** The number of chunks after "show more". */
    next: Math.min(count, more + 1),
    isComing: shown < most,
    showMore: () => setWanted(more),
  }
}
