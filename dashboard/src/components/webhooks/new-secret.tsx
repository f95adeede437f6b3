import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Secret } from '../ui/secret.tsx'

interface NewSecretDialogProps {
  /** Null while there is none to show. */
  secret: string | null
  /** What to do with it. */
  children: ReactNode
  onDone: () => void
}

/** Shows a secret this once: it stays until someone says that they have it. */
export const NewSecretDialog = ({ secret, children, onDone }: NewSecretDialogProps) => (
  <Dialog
    open={secret !== null}
    onOpenChange={onDone}
    isHeld
    title="Copy the secret now"
    description="It is shown only this once."
  >
    <div className="grid gap-4">
      <Secret text={secret ?? ''} label="secret" />
      <div className="grid gap-2 text-muted">{children}</div>
    </div>
    <DialogActions>
      <Button variant="primary" onClick={onDone}>
        I have copied it
      </Button>
    </DialogActions>
  </Dialog>
)
