import type { Contract } from '../../../../src/domain/contract/contract.ts'
import { ConflictDialog } from '../../components/conflict-dialog.tsx'
import { toDuration } from '../../condition-builder/contract-draft.ts'
import { LOCAL_NUMBERS } from '../../local-number.ts'
import type { GuardedSaving } from '../../use-guarded-save.ts'

/** What was saved meanwhile, beside what is to be saved. */
export const SchemaConflict = ({ saving }: { saving: GuardedSaving<Contract> }) => (
  <ConflictDialog kind="schema" saving={saving} texts={TEXTS} />
)

const TEXTS = {
  Price: ({ price }: Contract) => LOCAL_NUMBERS.writeNumber(price),
  'Activity window': ({ activity_window }: Contract) => durationText(activity_window),
  'Review window': ({ review_window }: Contract) => durationText(review_window),
  'Fulfillment condition': ({ fulfillment_condition }: Contract) =>
    JSON.stringify(fulfillment_condition, null, 2),
  'Timeout outcome': ({ timeout_outcome }: Contract) => timeout_outcome,
}

function durationText(seconds: number): string {
  const { text, unit } = toDuration(seconds)
  return `${text} ${text === '1' ? unit.slice(0, -1) : unit}`
}
