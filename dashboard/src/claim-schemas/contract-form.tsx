import { type ReactNode, type RefObject, useId } from 'react'
import type { Issue } from '../../../src/kernel/issue.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { COMMAND_KEY } from '../components/command-key.ts'
import { Kbd } from '../components/kbd.tsx'
import { ConditionBuilder } from '../contracts/condition-builder.tsx'
import type { ContractDocument } from '../contracts/contract-document.ts'
import { CONDITION_PATH, type ContractDraft } from '../contracts/contract-draft.ts'
import { ContractTerms } from './contract-terms.tsx'
import { OptionalTerms } from './optional-terms.tsx'

interface ContractFormProps {
  form: RefObject<HTMLFieldSetElement | null>
  document: ContractDocument
  /** @param typedField the text field that was typed into; null for any other edit */
  onChange: (draft: ContractDraft, typedField: string | null) => void
  issues: readonly Issue[]
  isChecked: boolean
  /** Shown before the contract. */
  children: ReactNode
}

export function ContractForm({ form, document, onChange, issues, isChecked, children }: ContractFormProps) {
  const problemId = useId()
  const { draft, problem } = document
  return (
    <fieldset
      ref={form}
      tabIndex={-1}
      disabled={problem !== null}
      aria-describedby={problem ? problemId : undefined}
      className="min-w-0 scroll-mt-20"
      data-undo="edits"
    >
      <legend className="sr-only">Contract as a form</legend>
      {problem ? (
        <p id={problemId} className="mb-5 rounded-lg bg-failed-soft px-3 py-2.5 text-[0.8125rem] text-failed">
          The form shows the last contract. It is locked until the JSON is a contract again.
        </p>
      ) : null}
      {children}
      <Card aria-label="Terms">
        <CardHeader title="Terms" />
        <CardBody>
          <ContractTerms draft={draft} onChange={onChange} issues={issues} isChecked={isChecked} />
        </CardBody>
      </Card>
      <Card aria-label="Fulfillment condition" className="mt-5">
        <CardHeader
          title="Fulfillment condition"
          description="Evaluated after each event, over all events so far. The order of events does not matter."
        />
        <CardBody className="grid gap-3 max-sm:px-3">
          <ConditionBuilder
            label="Condition"
            root={draft.condition}
            path={CONDITION_PATH}
            onChange={(condition, typedField) => onChange({ ...draft, condition }, typedField)}
            issues={issues}
            isChecked={isChecked}
          />
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
            <span>
              <Kbd>Tab</Kbd> move between fields
            </span>
            <span>
              <Kbd>{COMMAND_KEY}</Kbd> <Kbd>↵</Kbd> next event
            </span>
            <span>
              <Kbd>{COMMAND_KEY}</Kbd> <Kbd>Shift</Kbd> <Kbd>↑</Kbd> <Kbd>↓</Kbd> move up or down
            </span>
            <span>
              <Kbd>{COMMAND_KEY}</Kbd> <Kbd>Shift</Kbd> <Kbd>⌫</Kbd> remove
            </span>
            <span>
              <Kbd>{COMMAND_KEY}</Kbd> <Kbd>Z</Kbd> undo
            </span>
            <span>
              <Kbd>{COMMAND_KEY}</Kbd> <Kbd>Shift</Kbd> <Kbd>Z</Kbd> redo
            </span>
          </p>
        </CardBody>
      </Card>
      <OptionalTerms draft={draft} onChange={onChange} issues={issues} isChecked={isChecked} />
    </fieldset>
  )
}
