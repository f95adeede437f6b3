import type { Contract } from '../../../src/core/contracts/contract.ts'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import type { GuardedSaving } from '../components/use-guarded-save.ts'
import { CONTRACT_TEXTS } from './schema-texts.ts'

/** The conflict dialog of the contract. */
export const SchemaConflict = ({ saving }: { saving: GuardedSaving<Contract> }) => (
  <ConflictDialog kind="schema" saving={saving} texts={CONTRACT_TEXTS} />
)
