import { differencesOf, type Texts } from '../differences-of.ts'
import type { GuardedSaving } from '../use-guarded-save.ts'
import { Differences } from './differences.tsx'
import { Button } from './ui/button.tsx'
import { Dialog, DialogActions } from './ui/dialog.tsx'
import { FormError } from './ui/form-error.tsx'

interface ConflictDialogProps<Values> {
  /** Such as "schema". */
  kind: string
  saving: GuardedSaving<Values>
  texts: Texts<Values>
}

/** What one has typed and what somebody else has saved meanwhile, where they differ: one of the two is to be chosen. */
export function ConflictDialog<Values>({ kind, saving, texts }: ConflictDialogProps<Values>) {
  const { conflict, overwrite, takeTheirs, keepEditing } = saving
  return (
    <Dialog
      open={conflict !== null}
      onOpenChange={keepEditing}
      title={`The ${kind} was changed meanwhile`}
      description="Since you opened it, somebody else has saved it, or you in another tab. Nothing of yours was saved yet."
      className="w-[min(52rem,calc(100vw-2rem))]"
    >
      <Differences
        sides={['Yours', 'Saved meanwhile']}
        differences={conflict ? differencesOf(texts, conflict.mine, conflict.theirs) : []}
      />
      <FormError error={saving.error} />
      <DialogActions isPending={saving.isPending}>
        <Button onClick={keepEditing}>Keep editing</Button>
        <Button onClick={takeTheirs}>Take theirs</Button>
        <Button variant="danger" pending={saving.isPending} onClick={overwrite}>
          Save mine over it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
