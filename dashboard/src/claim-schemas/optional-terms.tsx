import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { newLeaf } from '../contracts/builder-node.ts'
import { ConditionBuilder } from '../contracts/condition-builder.tsx'
import { RESTART_PATH, REVERSAL_PATH, type ReviewDraft, secondsOf } from '../contracts/contract-draft.ts'
import { ClockTerms } from './clock-terms.tsx'
import { DurationField } from './duration-field.tsx'
import { messageAt, Option, type OptionalTermsProps, Section } from './optional-term.tsx'

/** The terms that a contract has only if they are chosen (§2.1a). */
export const OptionalTerms = (props: OptionalTermsProps) => (
  <Card aria-label="Optional terms" className="mt-5">
    <CardHeader title="Optional terms" description="A contract has these only if you choose them." />
    <CardBody className="grid gap-5 max-sm:px-3">
      <ReviewTerms {...props} />
      <StrictDeadline {...props} />
      <ClockTerms {...props} />
    </CardBody>
  </Card>
)

const NO_REVIEW: ReviewDraft = { reversal: null, restart: null, maxDuration: { text: '', unit: 'days' } }

function ReviewTerms({ draft, onChange, issues, isChecked }: OptionalTermsProps) {
  const { review } = draft
  const { reversal, restart, maxDuration } = review ?? NO_REVIEW
  const set = (changed: Partial<ReviewDraft>, typedField: string | null = null) => {
    const next = { ...NO_REVIEW, ...review, ...changed }
    onChange({ ...draft, review: next.reversal || next.restart ? next : null }, typedField)
  }
  const hasReviewWindow = secondsOf(draft.reviewWindow) !== 0
  const showsDuration = restart !== null || maxDuration.text !== ''
  return (
    <Section title="Review that can be lost" error={messageAt(issues, 'contract.review')}>
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
            onChange={(changed, typedField) => set({ reversal: changed }, typedField)}
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
            onChange={(changed, typedField) => set({ restart: changed }, typedField)}
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
              isChecked || maxDuration.text !== ''
                ? messageAt(issues, 'contract.review.max_duration')
                : undefined
            }
            onChange={(changed, typedField) => set({ maxDuration: changed }, typedField)}
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
  const choose = (isChosen: boolean) => {
    const { strictDeadline: _, ...others } = draft
    onChange(isChosen ? { ...others, strictDeadline: true } : others, null)
  }
  return (
    <Section title="Strict deadline" error={messageAt(issues, 'contract.strict_deadline')}>
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
