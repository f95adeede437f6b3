import { type ReactNode, useId } from 'react'
import type { Issue } from '../../../src/kernel/issue.ts'
import { Checkbox } from '../components/checkbox.tsx'
import type { ContractDraft } from '../contracts/contract-draft.ts'
import { asSentence } from '../format/as-sentence.ts'

/* The parts of the form of optional terms. */

export interface OptionalTermsProps {
  draft: ContractDraft
  /** @param typedField the text field that was typed into; null for any other edit */
  onChange: (draft: ContractDraft, typedField: string | null) => void
  issues: readonly Issue[]
  isChecked: boolean
}

/** The message of the issue at exactly this path. */
export const messageAt = (issues: readonly Issue[], path: string): string | undefined =>
  asSentence(issues.find((issue) => issue.path === path)?.message)

interface SectionProps {
  title: string
  error: string | undefined
  children: ReactNode
}

export function Section({ title, error, children }: SectionProps) {
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

export function Option({ name, label, hint, isChosen, onChoose, children }: OptionProps) {
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
