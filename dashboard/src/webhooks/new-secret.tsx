import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogActions } from '../components/dialog.tsx'
import { Secret } from '../components/secret.tsx'

interface NewSecretDialogProps {
  /** Null while there is no secret to show. */
  secret: string | null
  /** How to use the secret. */
  children: ReactNode
  onDone: () => void
}

/** Shows a secret once. It stays open until the user confirms that they have copied it. */
export const NewSecretDialog = ({ secret, children, onDone }: NewSecretDialogProps) => (
  <Dialog
    open={secret !== null}
    onOpenChange={onDone}
    isHeld
    title="Copy the secret now"
    description="It is shown only once."
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
