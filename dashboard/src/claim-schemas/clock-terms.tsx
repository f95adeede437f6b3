import { Plus } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { newLeaf } from '../contracts/builder-node.ts'
import { ConditionBuilder } from '../contracts/condition-builder.tsx'
import { type ClockDraft, PAUSE_PATH, RESUME_PATH } from '../contracts/contract-draft.ts'
import { ClockCalendar } from './clock-calendar.tsx'
import { messageAt, Option, type OptionalTermsProps, Section } from './optional-term.tsx'

const NO_CLOCK: ClockDraft = { calendar: null, pause: null, resume: null }

const TRIGGERS = [
  { part: 'pause', title: 'Stops on', path: PAUSE_PATH },
  { part: 'resume', title: 'Continues on', path: RESUME_PATH },
] as const

/** What counts as time of the windows: a calendar, and events that stop and continue the clock (§2.1a). */
export function ClockTerms({ draft, onChange, issues, isChecked }: OptionalTermsProps) {
  const clock = draft.clock ?? NO_CLOCK
  const { calendar, appliesTo, pause, resume } = clock
  const set = (next: ClockDraft, typedField: string | null = null) =>
    onChange({ ...draft, clock: next.calendar || next.pause || next.resume ? next : null }, typedField)
  const hasTriggers = pause !== null || resume !== null
  return (
    <Section title="Clock" error={messageAt(issues, 'contract.clock')}>
      <Option
        name="clock"
        label="Only working time counts"
        hint="Windows run in the working hours of a calendar, in its time zone and without its holidays."
        isChosen={calendar !== null}
        onChoose={(isChosen) => set({ calendar: isChosen ? { id: '' } : null, pause, resume })}
      >
        {calendar || appliesTo !== undefined ? (
          <ClockCalendar clock={clock} onChange={set} issues={issues} isChecked={isChecked} />
        ) : null}
      </Option>
      <Option
        name="clock.pause_on"
        label="Events can stop the clock"
        hint="While it is stopped, the activity window does not run and the claim does not time out. A window begins with its clock running."
        isChosen={hasTriggers}
        onChoose={(isChosen) =>
          set({ ...clock, pause: isChosen ? newLeaf() : null, resume: isChosen ? newLeaf() : null })
        }
      >
        {hasTriggers
          ? TRIGGERS.map(({ part, title, path }) => (
              <Trigger
                key={part}
                title={title}
                root={clock[part]}
                path={path}
                issues={issues}
                isChecked={isChecked}
                onChange={(root, typedField) => set({ ...clock, [part]: root }, typedField)}
              />
            ))
          : null}
      </Option>
    </Section>
  )
}

interface TriggerProps extends Pick<OptionalTermsProps, 'issues' | 'isChecked'> {
  title: string
  /** JSON may lack one of the two. */
  root: ClockDraft['pause']
  path: string
  onChange: (root: NonNullable<ClockDraft['pause']>, typedField: string | null) => void
}

function Trigger({ title, root, path, issues, isChecked, onChange }: TriggerProps) {
  return (
    <div className="grid min-w-0 grid-cols-1 gap-1.5">
      <p className="text-[0.8125rem] font-medium">{title}</p>
      {root ? (
        <ConditionBuilder
          label={title}
          root={root}
          path={path}
          kind="trigger"
          onChange={onChange}
          issues={issues}
          isChecked={isChecked}
        />
      ) : (
        <div className="grid justify-items-start gap-1.5">
          <Button size="sm" onClick={() => onChange(newLeaf(), null)}>
            <Plus aria-hidden /> Add an event
          </Button>
          <p className="text-xs font-medium text-failed">{messageAt(issues, path)}</p>
        </div>
      )}
    </div>
  )
}
