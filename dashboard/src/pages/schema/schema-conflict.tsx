import type { Contract } from '../../../../src/domain/contract/contract.ts'
import { type ComparedField, ConflictDialog } from '../../components/conflict-dialog.tsx'
import { toDuration } from '../../condition-builder/contract-draft.ts'
import type { useSaveSchema } from './save-schema.ts'

/** What was saved meanwhile, beside what is to be saved. */
export function SchemaConflict({ saving }: { saving: ReturnType<typeof useSaveSchema> }) {
  const { conflict } = saving
  return (
    <ConflictDialog
      kind="schema"
      fields={conflict && compare(conflict.mine, conflict.theirs.contract)}
      pending={saving.isPending}
      error={saving.error}
      onOverwrite={saving.overwrite}
      onTakeTheirs={saving.takeTheirs}
      onKeepEditing={saving.keepEditing}
    />
  )
}

function compare(mine: Contract, theirs: Contract): ComparedField[] {
  const field = (label: string, textOf: (contract: Contract) => string) => ({
    label,
    mine: textOf(mine),
    theirs: textOf(theirs),
  })
  return [
    field('Price', ({ price }) => String(price)),
    field('Activity window', ({ activity_window }) => durationText(activity_window)),
    field('Review window', ({ review_window }) => durationText(review_window)),
    field('Fulfillment condition', ({ fulfillment_condition }) =>
      JSON.stringify(fulfillment_condition, null, 2),
    ),
    field('Timeout outcome', ({ timeout_outcome }) => timeout_outcome),
  ]
}

function durationText(seconds: number): string {
  const { text, unit } = toDuration(seconds)
  return `${text} ${text === '1' ? unit.slice(0, -1) : unit}`
}
