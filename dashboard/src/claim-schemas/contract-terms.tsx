import type { Issue } from '../../../src/kernel/issue.ts'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { Select } from '../components/select.tsx'
import { useMoney } from '../components/use-money.ts'
import type { ContractDraft } from '../contracts/contract-draft.ts'
import { asSentence } from '../format/as-sentence.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'
import { appliesTo } from './clock-windows.ts'
import { DurationField } from './duration-field.tsx'

interface ContractTermsProps {
  draft: ContractDraft
  /** @param typedField the text field that was typed into; null for any other edit */
  onChange: (draft: ContractDraft, typedField: string | null) => void
  issues: readonly Issue[]
  isChecked: boolean
}

const WORKING_TIME = 'In working time: a day is 24 hours of it.'

/** The required fields of a contract except its condition. */
export function ContractTerms({ draft, onChange, issues, isChecked }: ContractTermsProps) {
  const errorAt = (name: string, text: string): string | undefined => {
    const message = issues.find(({ path }) => path === `contract.${name}`)?.message
    return isChecked || text !== '' ? asSentence(message) : undefined
  }
  const money = useMoney()
  const { number: price } = LOCAL_NUMBERS.readNumber(draft.price)
  const worth = price === undefined ? '' : `: ${money(price)}`
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Price"
        hint={`What a confirmed claim is worth${worth}.`}
        error={errorAt('price', draft.price)}
      >
        {(props) => (
          <Input
            {...props}
            inputMode="decimal"
            data-focus="price"
            placeholder={LOCAL_NUMBERS.writeNumber(49.5)}
            value={draft.price}
            onChange={({ target }) => onChange({ ...draft, price: target.value }, 'price')}
          />
        )}
      </Field>
      <Field
        label="Timeout outcome"
        hint="The outcome if the condition is not met within the activity window."
        error={errorAt('timeout_outcome', draft.timeoutOutcome)}
      >
        {(props) => (
          <Select
            {...props}
            data-focus="timeout_outcome"
            value={draft.timeoutOutcome}
            onChange={({ target }) => onChange({ ...draft, timeoutOutcome: target.value }, null)}
          >
            <option value="fail">FAILED</option>
            <option value="confirm">CONFIRMED</option>
            {['fail', 'confirm'].includes(draft.timeoutOutcome) ? null : (
              <option value={draft.timeoutOutcome}>{draft.timeoutOutcome || 'Choose'}</option>
            )}
          </Select>
        )}
      </Field>
      <DurationField
        label="Activity window"
        name="activity_window"
        hint={`The longest time that a claim stays OPEN, counted from its creation.${appliesTo(draft.clock, 'activity') ? ` ${WORKING_TIME}` : ''}`}
        value={draft.activityWindow}
        error={errorAt('activity_window', draft.activityWindow.text)}
        onChange={(activityWindow, typedField) => onChange({ ...draft, activityWindow }, typedField)}
      />
      <DurationField
        label="Review window"
        name="review_window"
        hint={`How long a claim stays PENDING before it is final. ${draft.review ? 'The events of the review can change that.' : 'PENDING claims take no events.'}${appliesTo(draft.clock, 'review') ? ` ${WORKING_TIME}` : ''}`}
        value={draft.reviewWindow}
        error={errorAt('review_window', draft.reviewWindow.text)}
        onChange={(reviewWindow, typedField) => onChange({ ...draft, reviewWindow }, typedField)}
      />
    </div>
  )
}
