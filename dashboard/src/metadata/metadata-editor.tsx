import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import {
  MAX_METADATA_KEY_LENGTH,
  MAX_METADATA_KEYS,
  MAX_METADATA_VALUE_LENGTH,
} from '../../../src/kernel/limits.ts'
import { Button } from '../components/button.tsx'
import { Input } from '../components/input.tsx'
import { Textarea } from '../components/textarea.tsx'
import {
  isBlank,
  METADATA_HELP,
  type MetadataRow,
  MISSING_KEY,
  newRow,
  problemsIn,
  type RowProblems,
} from './metadata-rows.ts'

interface MetadataEditorProps {
  /** At least one row. */
  rows: readonly MetadataRow[]
  onChange: (rows: MetadataRow[]) => void
  /** Whether missing keys are reported too. */
  isChecked: boolean
}

/** Rows of keys and values within a form. The focus moves to the next field to fill. */
export function MetadataEditor({ rows, onChange, isChecked }: MetadataEditorProps) {
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  const problems = problemsIn(rows)
  const isFull = rows.length >= MAX_METADATA_KEYS
  const focus = (row: MetadataRow, field: 'input' | 'textarea') =>
    list.current?.querySelector<HTMLElement>(`[data-row="${row.id}"] ${field}`)?.focus()
  const add = () => {
    const last = rows.at(-1)
    const row = last && isBlank(last) ? last : newRow()
    if (row !== last) flushSync(() => onChange([...rows, row]))
    focus(row, 'input')
  }
  const remove = (index: number) => {
    const others = rows.toSpliced(index, 1)
    const left = others.length === 0 ? [newRow()] : others
    flushSync(() => onChange(left))
    focus((left[index] ?? left.at(-1)) as MetadataRow, 'input')
  }
  /** Enter moves to the next field. After the last row it adds a row, and in a blank last row it submits the form. */
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>, index: number) => {
    const { key, shiftKey, nativeEvent, currentTarget } = event
    if (key !== 'Enter' || shiftKey || nativeEvent.isComposing) return
    event.preventDefault()
    const [row, next] = [rows[index] as MetadataRow, rows[index + 1]]
    const isEnd = !next && (isBlank(row) || (isFull && currentTarget.matches('textarea')))
    if (isEnd || event.ctrlKey || event.metaKey) currentTarget.form?.requestSubmit()
    else if (currentTarget.matches('input')) focus(row, 'textarea')
    else if (next) focus(next, 'input')
    else add()
  }
  return (
    <div className="grid gap-3">
      <div
        aria-hidden
        className="-mb-1.5 grid text-[0.8125rem] font-medium sm:grid-cols-[2fr_3fr_2.25rem] sm:gap-2"
      >
        <span>
          Key<span className="sm:hidden"> and value</span>
        </span>
        <span className="max-sm:hidden">Value</span>
      </div>
      <ul ref={list} className="grid gap-3 sm:gap-2">
        {rows.map((row, index) => {
          const { key, value } = problems.get(row.id) ?? {}
          return (
            <li
              key={row.id}
              data-row={row.id}
              className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]"
            >
              <MetadataFields
                row={row}
                number={index + 1}
                problems={{ key: key === MISSING_KEY && !isChecked ? undefined : key, value }}
                onChange={(changed) => onChange(rows.with(index, { ...row, ...changed }))}
                onKeyDown={(event) => onKeyDown(event, index)}
              />
              <Button
                variant="ghost"
                size="icon"
                className="col-start-2 row-start-1 sm:col-start-3"
                aria-label={`Remove key ${index + 1}`}
                title="Remove"
                onClick={() => remove(index)}
              >
                <X aria-hidden />
              </Button>
            </li>
          )
        })}
      </ul>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Button size="sm" refusedBy={isFull ? id : undefined} onClick={add}>
          <Plus aria-hidden /> Add a key
        </Button>
        <p id={id} className="text-xs text-muted">
          {isFull ? `${MAX_METADATA_KEYS} keys is the maximum.` : LIMITS}
        </p>
      </div>
    </div>
  )
}

const LIMITS = `Up to ${MAX_METADATA_KEYS} keys. A key has at most ${MAX_METADATA_KEY_LENGTH} characters, a value ${MAX_METADATA_VALUE_LENGTH}.`

interface NewMetadataProps {
  rows: readonly MetadataRow[]
  onChange: (rows: MetadataRow[]) => void
  isChecked: boolean
}

/** The metadata of a new record, collapsed by default. */
export function NewMetadata({ rows, ...props }: NewMetadataProps) {
  const count = rows.filter((row) => !isBlank(row)).length
  return (
    <details>
      <summary className="w-fit text-[0.8125rem] font-medium">
        Metadata{count > 0 ? ` (${count})` : ' (optional)'}
      </summary>
      <p className="mt-1 mb-2.5 text-xs text-muted">{METADATA_HELP}</p>
      <MetadataEditor rows={rows} {...props} />
    </details>
  )
}

interface MetadataFieldsProps {
  row: MetadataRow
  /** Position, starting at 1. */
  number: number
  problems: RowProblems
  onChange: (changed: Partial<MetadataRow>) => void
  onKeyDown: (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void
}

/** The fields of one row. A value may have several lines. */
function MetadataFields({ row, number, problems, onChange, onKeyDown }: MetadataFieldsProps) {
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
