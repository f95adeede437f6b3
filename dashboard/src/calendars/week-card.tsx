import { WEEKDAYS } from '../../../src/core/calendars/calendar.ts'
import type { Issue } from '../../../src/kernel/issue.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { asSentence } from '../format/as-sentence.ts'
import { type CalendarDraft, newKey } from './calendar-draft.ts'
import { SpansEditor } from './spans-editor.tsx'
import { dayName } from './week-in-words.ts'
import { WeekPicture } from './week-picture.tsx'

interface WeekCardProps {
  draft: CalendarDraft
  onChange: (draft: CalendarDraft) => void
  issues: readonly Issue[]
}

/** The spans of each weekday. */
export function WeekCard({ draft, onChange, issues }: WeekCardProps) {
  const { weekly } = draft
  const problem = issues.find(({ path }) => path === 'weekly')?.message
  const copyMonday = () => {
    const copied = WEEKDAYS.slice(1, 5).map((day) => [
      day,
      weekly.monday.map((span) => ({ ...span, key: newKey() })),
    ])
    onChange({ ...draft, weekly: { ...weekly, ...Object.fromEntries(copied) } })
  }
  return (
    <Card aria-label="Week">
      <CardHeader
        title="Week"
        description="The working time of each weekday, from 00:00 to 24:00 on the local clock."
        actions={
          <Button size="sm" onClick={copyMonday}>
            Copy Monday to Tuesday–Friday
          </Button>
        }
      />
      <CardBody className="grid items-start gap-x-8 gap-y-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 grid-cols-1 gap-1">
          {WEEKDAYS.map((day) => (
            <fieldset
              key={day}
              className="grid min-w-0 items-start gap-x-4 sm:grid-cols-[6.5rem_minmax(0,1fr)]"
            >
              <legend className="sr-only">{dayName(day)}</legend>
              <span aria-hidden className="pt-1.5 font-medium">
                {dayName(day)}
              </span>
              <SpansEditor
                label={dayName(day)}
                path={`weekly.${day}`}
                spans={weekly[day]}
                onChange={(spans) => onChange({ ...draft, weekly: { ...weekly, [day]: spans } })}
                issues={issues}
              />
            </fieldset>
          ))}
          {problem ? <p className="text-xs font-medium text-failed">{asSentence(problem)}</p> : null}
        </div>
        <div className="max-xl:order-first">
          <WeekPicture draft={draft} />
        </div>
      </CardBody>
    </Card>
  )
}
