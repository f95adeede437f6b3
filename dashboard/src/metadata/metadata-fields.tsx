import { type KeyboardEvent, useId } from 'react'
import { Input } from '../components/input.tsx'
import { Textarea } from '../components/textarea.tsx'
import { isBlank, type MetadataRow, type RowProblems } from './metadata-rows.ts'

interface MetadataFieldsProps {
  row: MetadataRow
  /** Position, starting at 1. */
  number: number
  problems: RowProblems
  onChange: (changed: Partial<MetadataRow>) => void
  onKeyDown: (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void
}

/** The fields of one row. A value may have several lines. */
export function MetadataFields({ row, number, problems, onChange, onKeyDown }: MetadataFieldsProps) {
  const id = useId()
  const isExampleShown = number === 1 && isBlank(row)
  const shared = { dir: 'auto', spellCheck: false, autoCapitalize: 'off', onKeyDown }
  return (
    <>
      <div className="grid content-start gap-1.5">
        <Input
          {...shared}
          {...faultOf(`${id}-key`, problems.key)}
          aria-label={`Key ${number}`}
          placeholder={isExampleShown ? 'order' : undefined}
          value={row.key}
          onChange={({ target }) => onChange({ key: target.value })}
        />
        <Problem id={`${id}-key`} text={problems.key} />
      </div>
      <div className="grid content-start gap-1.5 max-sm:row-start-2">
        <Textarea
          {...shared}
          {...faultOf(`${id}-value`, problems.value)}
          aria-label={`Value ${number}`}
          placeholder={isExampleShown ? 'A-4711' : undefined}
          rows={1}
          className="field-sizing-content max-h-40 min-h-9 py-1.5 supports-[field-sizing:content]:resize-none"
          value={row.value}
          onChange={({ target }) => onChange({ value: target.value })}
        />
        <Problem id={`${id}-value`} text={problems.value} />
      </div>
    </>
  )
}

const faultOf = (id: string, problem: string | undefined) =>
  problem ? ({ 'aria-invalid': true, 'aria-describedby': id } as const) : {}

const Problem = ({ id, text }: { id: string; text: string | undefined }) =>
  text ? (
    <p id={id} className="text-xs font-medium text-failed">
      {text}
    </p>
  ) : null
