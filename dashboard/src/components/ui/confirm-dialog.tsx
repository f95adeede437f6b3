import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CancelButton, Dialog, DialogActions } from './dialog.tsx'
import { FormError } from './form-error.tsx'

interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  /** What it does, and whether it can be undone. */
  children: ReactNode
  /** Verb of the button: "Revoke". */
  action: string
  pending?: boolean
  error?: unknown
  onConfirm: () => void
}

/** Asks before what cannot be undone. */
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
