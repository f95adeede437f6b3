import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CancelButton, Dialog, DialogActions } from './dialog.tsx'
import { FormError } from './form-error.tsx'

interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  /** The effect of the action and whether it can be undone. */
  children: ReactNode
  /** The verb on the button, such as "Revoke". */
  action: string
  pending?: boolean
  error?: unknown
  onConfirm: () => void
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, children, action, pending = false, error, onConfirm } = props
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title}>
      <div className="grid gap-4 text-muted">
        <div>{children}</div>
        <FormError error={error} />
      </div>
      <DialogActions isPending={pending}>
        <CancelButton />
        <Button variant="danger" pending={pending} onClick={onConfirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
