import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'

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
      <div className="flex items-center gap-3 rounded-lg bg-sunken p-3">
        <code className="min-w-0 flex-1 font-mono text-[0.8125rem] break-all">{secret}</code>
        <CopyButton text={secret ?? ''} label="Copy secret" autoFocus>
          Copy
        </CopyButton>
      </div>
      <div className="grid gap-2 text-muted">{children}</div>
    </div>
    <DialogActions>
      <Button variant="primary" onClick={onDone}>
        I have copied it
      </Button>
    </DialogActions>
  </Dialog>
)
