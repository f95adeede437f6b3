import { Plus, Trash2 } from 'lucide-react'
import type { Issue } from '../../../src/kernel/issue.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { Input } from '../components/input.tsx'
import { showDay } from '../format/local-time.ts'
import { type ExceptionDraft, isDate, newKey } from './calendar-draft.ts'
import { SpansEditor } from './spans-editor.tsx'

interface ExceptionsCardProps {
  exceptions: readonly ExceptionDraft[]
  onChange: (exceptions: ExceptionDraft[]) => void
  issues: readonly Issue[]
}

/** Dates with spans of their own. */
export function ExceptionsCard({ exceptions, onChange, issues }: ExceptionsCardProps) {
  const change = (i: number, changes: Partial<ExceptionDraft>) =>
    onChange(exceptions.map((exception, j) => (j === i ? { ...exception, ...changes } : exception)))
  return (
    <Card aria-label="Exceptions">
      <CardHeader
        title="Exceptions"
        description="Dates with hours of their own, in place of those of the weekday or the holiday."
        actions={
          <Button size="sm" onClick={() => onChange([...exceptions, { key: newKey(), date: '', spans: [] }])}>
            <Plus aria-hidden /> Add an exception
          </Button>
        }
      />
      {exceptions.length === 0 ? null : (
        <CardBody className="grid grid-cols-1 gap-3">
          {exceptions.map(({ key, date, spans }, i) => {
            const label = isDate(date) ? showDay(date) : `exception ${i + 1}`
            const isWrong = issues.some(({ path }) => path === `exceptions.${date}`)
            return (
              <fieldset
                key={key}
                className="grid min-w-0 items-start gap-x-4 gap-y-1.5 grid-cols-[minmax(0,1fr)_auto] sm:grid-cols-[auto_minmax(0,1fr)_auto]"
              >
                <legend className="sr-only">{label}</legend>
                <Input
                  aria-label={`Date of ${label}`}
                  aria-invalid={isWrong || undefined}
                  type="date"
                  min="1970-01-01"
                  max="2999-12-31"
                  className="h-8 w-40"
                  value={date}
                  onChange={({ target }) => change(i, { date: target.value })}
                />
                <div className="max-sm:order-last max-sm:col-span-2">
                  <SpansEditor
                    label={label}
                    path={`exceptions.${date}`}
                    spans={spans}
                    onChange={(changed) => change(i, { spans: changed })}
                    issues={issues}
                  />
                </div>
                <Button
                  variant="ghost"
                  size="icon"
                  className="size-8"
                  aria-label={`Remove ${label}`}
                  title="Remove the exception"
                  onClick={() => onChange(exceptions.filter((_, j) => j !== i))}
                >
                  <Trash2 aria-hidden />
                </Button>
              </fieldset>
            )
          })}
        </CardBody>
      )}
    </Card>
  )
}
