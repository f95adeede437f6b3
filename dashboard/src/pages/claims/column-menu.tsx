import { Columns3 } from 'lucide-react'
import type { ClaimKind, ClaimOrder } from '../../api/claims.ts'
import {
  CLAIM_COLUMNS,
  type ClaimColumn,
  columnsOf,
  SORTED_BY,
  USUAL_COLUMNS,
} from '../../components/claim-columns.ts'
import { Button } from '../../components/ui/button.tsx'
import { Choice } from '../../components/ui/choice.tsx'
import { PopoverMenu } from '../../components/ui/popover-menu.tsx'
import { useToast } from '../../components/ui/toast.tsx'
import { NOT_KEPT, useKept } from '../../use-kept.ts'

/** Null if nothing was chosen. */
const readColumns = (stored: unknown): ClaimColumn[] | null =>
  Array.isArray(stored)
    ? (Object.keys(CLAIM_COLUMNS) as ClaimColumn[]).filter((column) => stored.includes(column))
    : null

/** The chosen columns of a list; null for the usual ones. */
export function useColumns(kind: ClaimKind, sort: ClaimOrder | undefined) {
  const { value: chosen, change } = useKept(`columns of ${kind}`, readColumns)
  const sortedBy = sort && SORTED_BY[sort]
  const shown = chosen && columnsOf(kind).filter((column) => column === sortedBy || chosen.includes(column))
  return { chosen, shown, sortedBy, change }
}

interface ColumnMenuProps {
  kind: ClaimKind
  columns: ReturnType<typeof useColumns>
}

/** Which columns a list shows. Its first, which leads to the claim, always stays. */
export function ColumnMenu({ kind, columns: { chosen, sortedBy, change } }: ColumnMenuProps) {
  const toast = useToast()
  const keep = (update: (columns: readonly ClaimColumn[] | null) => ClaimColumn[] | null) => {
    if (!change(update)) toast(NOT_KEPT)
  }
  const toggle = (column: ClaimColumn, isShown: boolean) =>
    keep((before) => {
      const others = (before ?? USUAL_COLUMNS).filter((other) => other !== column)
      return isShown ? [...others, column] : others
    })
  const checked = chosen ?? USUAL_COLUMNS
  return (
    <PopoverMenu trigger={<Columns3 aria-hidden />} size="icon" aria-label="Columns" title="Columns">
      {() => (
        <div className="grid w-60 gap-2 p-2.5">
          <fieldset className="grid gap-1.5">
            <legend className="sr-only">Columns</legend>
            <Choice isChosen>{kind === 'claims' ? 'Claim' : 'Candidate'}</Choice>
            {columnsOf(kind).map((column) => (
              <Choice
                key={column}
                isChosen={column === sortedBy || checked.includes(column)}
                {...(column === sortedBy
                  ? {}
                  : { onChange: (isChosen: boolean) => toggle(column, isChosen) })}
              >
                {CLAIM_COLUMNS[column]}
                {column === sortedBy ? ' (sorted by it)' : ''}
              </Choice>
            ))}
          </fieldset>
          {chosen ? (
            <Button size="sm" onClick={() => keep(() => null)}>
              Show the usual ones
            </Button>
          ) : null}
          <p className="text-xs text-muted">
            {chosen
              ? 'Kept in this browser, for your account.'
              : 'As many as there is room for. What you choose is shown on every screen.'}
          </p>
        </div>
      )}
    </PopoverMenu>
  )
}
