import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Differences, differencesOf, type Texts } from './differences.tsx'
import { FormError } from './form-error.tsx'
import type { GuardedSaving } from './use-guarded-save.ts'

interface ConflictDialogProps<Values> {
  /** Such as "schema". */
  kind: string
  saving: GuardedSaving<Values>
  texts: Texts<Values>
}

/** Shows the user's version and the saved version where they differ. The user chooses one. */
export function ConflictDialog<Values>({ kind, saving, texts }: ConflictDialogProps<Values>) {
  const { conflict, overwrite, takeTheirs, keepEditing } = saving
  return (
    <Dialog
      open={conflict !== null}
      onOpenChange={keepEditing}
      title={`The ${kind} has changed`}
      description="Somebody else saved it after you opened it, or you did in another tab. Your changes are not saved yet."
      className="w-[min(52rem,calc(100vw-2rem))]"
    >
      <Differences
        sides={['Your version', 'Saved version']}
        differences={conflict ? differencesOf(texts, conflict.mine, conflict.theirs) : []}
      />
      <FormError error={saving.error} />
      <DialogActions isPending={saving.isPending}>
        <Button onClick={keepEditing}>Keep editing</Button>
        <Button onClick={takeTheirs}>Use the saved version</Button>
        <Button variant="danger" pending={saving.isPending} onClick={overwrite}>
          Overwrite with mine
        </Button>
      </DialogActions>
    </Dialog>
  )
}
