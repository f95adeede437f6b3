import { Columns3 } from 'lucide-react'
import type { ClaimKind } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Checkbox } from '../components/checkbox.tsx'
import { PopoverMenu } from '../components/popover-menu.tsx'
import { useToast } from '../components/toast.tsx'
import { NOT_STORED, STORED_IN_BROWSER, useBrowserStorage } from '../components/use-browser-storage.ts'
import { CLAIM_COLUMNS, type ClaimColumn, columnsOf, DEFAULT_COLUMNS, SORT_COLUMNS } from './claim-columns.ts'
import type { ClaimOrder } from './claims-api.ts'

/** The chosen columns. Null for the default. */
const readColumns = (stored: unknown): ClaimColumn[] | null =>
  Array.isArray(stored)
    ? (Object.keys(CLAIM_COLUMNS) as ClaimColumn[]).filter((column) => stored.includes(column))
    : null

/** The columns of a list. `chosen` and `shown` are null for the default. */
export function useColumns(kind: ClaimKind, sort: ClaimOrder | undefined) {
  const { value: chosen, change } = useBrowserStorage(`columns of ${kind}`, readColumns)
  const sortedBy = sort && SORT_COLUMNS[sort]
  const shown = chosen && columnsOf(kind).filter((column) => column === sortedBy || chosen.includes(column))
  return { chosen, shown, sortedBy, change }
}

interface ColumnMenuProps {
  kind: ClaimKind
  columns: ReturnType<typeof useColumns>
}

/** The menu that chooses columns. The first column, which links to the claim, is always shown. */
export function ColumnMenu({ kind, columns: { chosen, sortedBy, change } }: ColumnMenuProps) {
  const toast = useToast()
  const keep = (update: (columns: readonly ClaimColumn[] | null) => ClaimColumn[] | null) => {
    if (!change(update)) toast(NOT_STORED)
  }
  const toggle = (column: ClaimColumn, isShown: boolean) =>
    keep((before) => {
      const others = (before ?? DEFAULT_COLUMNS).filter((other) => other !== column)
      return isShown ? [...others, column] : others
    })
  const checked = chosen ?? DEFAULT_COLUMNS
  return (
    <PopoverMenu trigger={<Columns3 aria-hidden />} size="icon" aria-label="Columns" title="Columns">
      {() => (
        <div className="grid w-60 gap-2 p-2.5">
          <fieldset className="grid gap-1.5">
            <legend className="sr-only">Columns</legend>
            <Checkbox isChecked>{kind === 'claims' ? 'Claim' : 'Candidate'}</Checkbox>
            {columnsOf(kind).map((column) => (
              <Checkbox
                key={column}
                isChecked={column === sortedBy || checked.includes(column)}
                {...(column === sortedBy
                  ? {}
                  : { onChange: (isChecked: boolean) => toggle(column, isChecked) })}
              >
                {CLAIM_COLUMNS[column]}
                {column === sortedBy ? ' (sorted by this)' : ''}
              </Checkbox>
            ))}
          </fieldset>
          {chosen ? (
            <Button size="sm" onClick={() => keep(() => null)}>
              Reset to default
            </Button>
          ) : null}
          <p className="text-xs text-muted">
            {chosen
              ? STORED_IN_BROWSER
              : 'The default shows the columns that fit. Columns that you choose are always shown.'}
          </p>
        </div>
      )}
    </PopoverMenu>
  )
}
