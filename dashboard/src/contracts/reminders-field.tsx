import { Plus, X } from 'lucide-react'
import { useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import { MAX_REMINDERS } from '../../../src/core/limits.ts'
import { Button } from '../components/button.tsx'
import { Input } from '../components/input.tsx'
import { asSentence } from '../format/as-sentence.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'
import { readReminders } from './reminder-percentages.ts'

interface RemindersFieldProps {
  /** The typed percentages. */
  texts: readonly string[]
  onChange: (texts: string[]) => void
  /** Says which reminders the schema has. */
  hint?: string | undefined
  /** Whether a heading above names the field. */
  isTitled?: boolean
}

const RULE = `A notification is sent when these parts of the activity window are used up. Up to ${MAX_REMINDERS} different percentages, above 0 and below 100.`

/** The reminders of a claim or schema as percentages. A new field gets the focus; after a removal, the field at its place. */
export function RemindersField({ texts, onChange, hint, isTitled = false }: RemindersFieldProps) {
  const id = useId()
  const fields = useRef<HTMLDivElement>(null)
  const { problems } = readReminders(texts)
  const firstProblem = problems.find(Boolean)
  const isFull = texts.length >= MAX_REMINDERS
  const change = (changed: string[], focusAt: number) => {
    flushSync(() => onChange(changed))
    const at = Math.min(focusAt, changed.length - 1)
    fields.current?.querySelectorAll<HTMLElement>(at < 0 ? 'button' : 'input')[Math.max(at, 0)]?.focus()
  }
  return (
    <fieldset className="grid min-w-0 gap-1.5" aria-describedby={`${id}-rule`}>
      <legend className={isTitled ? 'sr-only' : 'mb-1.5 text-[0.8125rem] font-medium'}>
        Reminders (optional)
      </legend>
      <div ref={fields} className="flex flex-wrap items-center gap-2">
        {texts.map((text, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a percentage has no identity but its position
          <span key={i} className="relative">
            <Input
              aria-label={`Reminder ${i + 1}, in percent`}
              aria-invalid={problems[i] ? true : undefined}
              aria-describedby={problems[i] ? `${id}-problem` : undefined}
              className="figures field-sizing-content w-auto max-w-full min-w-26 ps-2 pe-14 text-end"
              inputMode="decimal"
              placeholder={LOCAL_NUMBERS.writeNumber(90)}
              value={text}
              onChange={({ target }) => onChange([...texts].with(i, target.value))}
            />
            <span
              aria-hidden
              className="pointer-events-none absolute inset-y-0 end-9 flex items-center text-muted"
            >
              %
            </span>
            <Button
              variant="ghost"
              size="icon"
              className="absolute end-1 top-1 size-7"
              aria-label={`Remove reminder ${i + 1}`}
              title="Remove"
              onClick={() => change(texts.toSpliced(i, 1), i)}
            >
              <X aria-hidden />
            </Button>
          </span>
        ))}
        <Button
          size="sm"
          refusedBy={isFull ? `${id}-rule` : undefined}
          onClick={() => change([...texts, ''], texts.length)}
        >
          <Plus aria-hidden /> Add a reminder
        </Button>
      </div>
      <p id={`${id}-rule`} className="text-xs text-pretty text-muted">
        {hint ? `${hint} ${RULE}` : RULE}
      </p>
      {firstProblem === undefined ? null : (
        <p id={`${id}-problem`} className="text-xs font-medium text-failed wrap-anywhere">
          {asSentence(firstProblem)}
        </p>
      )}
    </fieldset>
  )
}
