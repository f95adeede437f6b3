import type { GuardedActing } from '../use-guarded-action.ts'
import { Differences } from './differences.tsx'
import { Button } from './ui/button.tsx'
import { Dialog, DialogActions } from './ui/dialog.tsx'
import { FormError } from './ui/form-error.tsx'

interface ChangedDialogProps {
  /** Such as "schema". */
  kind: string
  acting: GuardedActing
  /** "Delete". */
  action: string
  onLeave?: () => void
}

/** What was changed of a record that one was about to delete or to switch: it is to be said again, or left. */
export function ChangedDialog({ kind, acting, action, onLeave }: ChangedDialogProps) {
  const leave = () => {
    acting.leave()
    onLeave?.()
  }
  return (
    <Dialog
      open={acting.changes !== null}
      onOpenChange={leave}
      title={`The ${kind} was changed meanwhile`}
      description="Since you saw it, somebody else has changed it, or you in another tab. Nothing was done to it yet."
      className="w-[min(52rem,calc(100vw-2rem))]"
    >
      <Differences sides={['As you saw it', 'As it is now']} differences={acting.changes ?? []} />
      <FormError error={acting.error} />
      <DialogActions isPending={acting.isPending}>
        <Button onClick={leave}>Leave it</Button>
        <Button variant="danger" pending={acting.isPending} onClick={acting.actAllTheSame}>
          {action} all the same
        </Button>
      </DialogActions>
    </Dialog>
  )
}
