import { type ReactNode, useId } from 'react'
import type { Issue } from '../../../src/kernel/issue.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { Checkbox } from '../components/checkbox.tsx'
import { newLeaf } from '../contracts/builder-node.ts'
import { ConditionBuilder } from '../contracts/condition-builder.tsx'
import {
  type ContractDraft,
  RESTART_PATH,
  REVERSAL_PATH,
  type ReviewDraft,
  secondsOf,
} from '../contracts/contract-draft.ts'
import { asSentence } from '../format/as-sentence.ts'
import { DurationField } from './duration-field.tsx'

interface OptionalTermsProps {
  draft: ContractDraft
  /** @param typedIn the text field that was typed into; null for any other edit */
  onChange: (draft: ContractDraft, typedIn: string | null) => void
  issues: readonly Issue[]
  isChecked: boolean
}

/** The terms that a contract has only if they are chosen (§2.1a). */
export const OptionalTerms = (props: OptionalTermsProps) => (
  <Card aria-label="Optional terms" className="mt-5">
    <CardHeader title="Optional terms" description="A contract has these only if you choose them." />
    <CardBody className="grid gap-5 max-sm:px-3">
      <ReviewTerms {...props} />
      <StrictDeadline {...props} />
      {props.draft.clock === undefined ? null : (
        <p className="text-xs text-muted">This contract has a clock. It is edited as JSON.</p>
      )}
    </CardBody>
  </Card>
)

const NO_REVIEW: ReviewDraft = { reversal: null, restart: null, maxDuration: { text: '', unit: 'days' } }

function ReviewTerms({ draft, onChange, issues, isChecked }: OptionalTermsProps) {
  const { review } = draft
  const { reversal, restart, maxDuration } = review ?? NO_REVIEW
  const set = (changed: Partial<ReviewDraft>, typedIn: string | null = null) => {
    const next = { ...NO_REVIEW, ...review, ...changed }
    onChange({ ...draft, review: next.reversal || next.restart ? next : null }, typedIn)
  }
  const messageAt = (path: string) => asSentence(issues.find((issue) => issue.path === path)?.message)
  const hasReviewWindow = secondsOf(draft.reviewWindow) !== 0
  const showsDuration = restart !== null || maxDuration.text !== ''
  return (
    <Section title="Review that can be lost" error={messageAt('contract.review')}>
      <Option
        name="review"
        label="Events can reverse the outcome"
        hint="If this happens during the review, the outcome CONFIRMED becomes FAILED for good."
        isChosen={reversal !== null}
        onChoose={(isChosen) => set({ reversal: isChosen ? newLeaf() : null })}
      >
        {reversal ? (
          <ConditionBuilder
            label="Reversal condition"
            root={reversal}
            path={REVERSAL_PATH}
            onChange={(changed, typedIn) => set({ reversal: changed }, typedIn)}
            issues={issues}
            isChecked={isChecked}
          />
        ) : null}
      </Option>
      <Option
        name="review.restart_on"
        label="Events can restart the review"
        hint="Each of these events begins a new review window."
        isChosen={restart !== null}
        onChoose={(isChosen) =>
          set({ restart: isChosen ? newLeaf() : null, maxDuration: NO_REVIEW.maxDuration })
        }
      >
        {restart ? (
          <ConditionBuilder
            label="Restart on"
            root={restart}
            path={RESTART_PATH}
            kind="trigger"
            onChange={(changed, typedIn) => set({ restart: changed }, typedIn)}
            issues={issues}
            isChecked={isChecked}
          />
        ) : null}
        {showsDuration ? (
          <DurationField
            label="Longest review"
            name="review.max_duration"
            hint="Restarts do not extend the review beyond this time from its beginning."
            value={maxDuration}
            error={
              isChecked || maxDuration.text !== '' ? messageAt('contract.review.max_duration') : undefined
            }
            onChange={(changed, typedIn) => set({ maxDuration: changed }, typedIn)}
          />
        ) : null}
      </Option>
      {review && !hasReviewWindow ? (
        <p className="text-xs text-muted">
          The review window is 0, so there is no review in which events count.
        </p>
      ) : null}
    </Section>
  )
}

function StrictDeadline({ draft, onChange, issues }: OptionalTermsProps) {
  const problem = issues.find(({ path }) => path === 'contract.strict_deadline')?.message
  const choose = (isChosen: boolean) => {
    const { strictDeadline: _, ...others } = draft
    onChange(isChosen ? { ...others, strictDeadline: true } : others, null)
  }
  return (
    <Section title="Strict deadline" error={asSentence(problem)}>
      <Option
        name="strict_deadline"
        label="Late events count for nothing"
        hint="A window ends at the next check after its time. Until then an event still counts, unless you choose this: then it is only stored."
        isChosen={draft.strictDeadline === true}
        onChoose={choose}
      />
    </Section>
  )
}

interface SectionProps {
  title: string
  error: string | undefined
  children: ReactNode
}

function Section({ title, error, children }: SectionProps) {
  const id = useId()
  return (
    <fieldset className="grid min-w-0 gap-3" aria-describedby={error ? id : undefined}>
      <legend className="mb-2 font-medium">{title}</legend>
      {children}
      {error ? (
        <p id={id} className="text-xs font-medium text-failed">
          {error}
        </p>
      ) : null}
    </fieldset>
  )
}

interface OptionProps {
  /** The path within the contract, for focus. */
  name: string
  label: string
  hint: string
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
  /** The fields of the option. */
  children?: ReactNode
}

function Option({ name, label, hint, isChosen, onChoose, children }: OptionProps) {
  const id = useId()
  return (
    <div className="grid min-w-0 grid-cols-1 gap-2.5">
      <div>
        <Checkbox isChecked={isChosen} onChange={onChoose} data-focus={name} aria-describedby={id}>
          {label}
        </Checkbox>
        <p id={id} className="pl-6 text-xs text-pretty text-muted">
          {hint}
        </p>
      </div>
      {children}
    </div>
  )
}
