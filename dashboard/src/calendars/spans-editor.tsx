import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import type { Issue } from '../../../src/kernel/issue.ts'
import { Button } from '../components/button.tsx'
import { Input } from '../components/input.tsx'
import { asSentence } from '../format/as-sentence.ts'
import { completeTime, nextSpan, type SpanDraft } from './calendar-draft.ts'

interface SpansEditorProps {
  /** The date or the day, such as "Monday". */
  label: string
  /** Of the spans in the calendar. */
  path: string
  spans: readonly SpanDraft[]
  onChange: (spans: SpanDraft[]) => void
  issues: readonly Issue[]
}

/** The spans of a day, each with its start and its end. */
export function SpansEditor({ label, path, spans, onChange, issues }: SpansEditorProps) {
  const id = useId()
  const change = (i: number, changes: Partial<SpanDraft>) =>
    onChange(spans.map((span, j) => (j === i ? { ...span, ...changes } : span)))
  const problem = issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}[`))
  const isWrong = (i: number, side?: number) =>
    issues.some((issue) => [`${path}[${i}]`, `${path}[${i}][${side}]`].includes(issue.path))
  return (
    <div className="grid min-w-0 gap-1.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        {spans.length === 0 ? <span className="text-muted">No working time</span> : null}
        {spans.map(({ key, start, end }, i) => (
          <span key={key} className="inline-flex items-center gap-1">
            <TimeInput
              label={`${label}, start of span ${i + 1}`}
              value={start}
              isWrong={isWrong(i, 0)}
              describedBy={id}
              onChange={(text) => change(i, { start: text })}
            />
            <span aria-hidden>–</span>
            <TimeInput
              label={`${label}, end of span ${i + 1}`}
              value={end}
              isWrong={isWrong(i, 1)}
              describedBy={id}
              onChange={(text) => change(i, { end: text })}
            />
            <Button
              variant="ghost"
              size="icon"
              className="size-7"
              aria-label={`Remove span ${i + 1} of ${label}`}
              title="Remove"
              onClick={() => onChange(spans.filter((_, j) => j !== i))}
            >
              <X aria-hidden />
            </Button>
          </span>
        ))}
        <Button
          variant="ghost"
          size="icon"
          className="size-7"
          aria-label={`Add a span to ${label}`}
          title="Add a span"
          onClick={() => onChange([...spans, nextSpan(spans)])}
        >
          <Plus aria-hidden />
        </Button>
      </div>
      {problem ? (
        <p id={id} className="text-xs font-medium text-failed">
          {asSentence(problem.message)}
        </p>
      ) : null}
    </div>
  )
}

interface TimeInputProps {
  label: string
  value: string
  isWrong: boolean
  describedBy: string
  onChange: (text: string) => void
}

/** A text field, because a time field has no 24:00. */
const TimeInput = ({ label, value, isWrong, describedBy, onChange }: TimeInputProps) => (
  <Input
    aria-label={label}
    aria-invalid={isWrong || undefined}
    aria-describedby={isWrong ? describedBy : undefined}
    className="figures h-8 w-[4.5rem] px-2 text-center"
    inputMode="numeric"
    placeholder="00:00"
    maxLength={5}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    onBlur={() => onChange(completeTime(value))}
  />
)
