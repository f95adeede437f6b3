import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Differences } from './differences.tsx'
import { FormError } from './form-error.tsx'
import type { GuardedActing } from './use-guarded-action.ts'

interface ChangedDialogProps {
  /** Such as "schema". */
  kind: string
  acting: GuardedActing
  /** "Delete". */
  action: string
  onLeave?: () => void
}

/** Shows how a record has changed before it is deleted or switched, and asks again. */
export function ChangedDialog({ kind, acting, action, onLeave }: ChangedDialogProps) {
  const leave = () => {
    acting.leave()
    onLeave?.()
  }
  return (
    <Dialog
      open={acting.changes !== null}
      onOpenChange={leave}
      title={`The ${kind} has changed`}
      description="Somebody else changed it after you opened this page, or you did in another tab. Nothing has been done yet."
      className="w-[min(52rem,calc(100vw-2rem))]"
    >
      <Differences sides={['When you opened it', 'Now']} differences={acting.changes ?? []} />
      <FormError error={acting.error} />
      <DialogActions isPending={acting.isPending}>
        <Button onClick={leave}>Cancel</Button>
        <Button variant="danger" pending={acting.isPending} onClick={acting.actAnyway}>
          {action} anyway
        </Button>
      </DialogActions>
    </Dialog>
  )
}
