import { useMutation } from '@tanstack/react-query'
import type { WebhookEndpoint } from '../../api/records.ts'
import { rotateSecret } from '../../api/webhooks.ts'
import { LeaveGuard } from '../../components/leave-guard.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { DateTime } from '../../components/ui/time.tsx'
import { NewSecretDialog } from '../../components/webhooks/new-secret.tsx'

interface RotateSecretDialogProps {
  endpoint: WebhookEndpoint
  open: boolean
  onClose: () => void
}

/** Asks, and shows the new secret, also if the question was closed before the answer came: nobody is told it twice. */
export function RotateSecretDialog({ endpoint: { id }, open, onClose }: RotateSecretDialogProps) {
  const rotation = useMutation({ mutationFn: () => rotateSecret(id) })
  const close = () => {
    rotation.reset()
    onClose()
  }
  const dismiss = () => (rotation.isPending ? onClose() : close())
  const rotated = rotation.data
  return (
    <>
      <ConfirmDialog
        open={open && !rotated}
        onOpenChange={dismiss}
        title="Give it a new secret?"
        action="Rotate secret"
        pending={rotation.isPending}
        error={rotation.error}
        onConfirm={() => rotation.mutate()}
      >
        For a day the present secret signs as well, so that your program can change over. After that it is
        worth nothing. It cannot be undone.
      </ConfirmDialog>
      <LeaveGuard
        isNeeded={rotation.isPending || rotated !== undefined}
        title="Leave without the new secret?"
      >
        It is shown only this once.
      </LeaveGuard>
      <NewSecretDialog secret={rotated?.secret ?? null} onDone={close}>
        {rotated ? (
          <p>
            The secret before signs as well until <DateTime at={rotated.old_secret_until} />.
          </p>
        ) : null}
      </NewSecretDialog>
    </>
  )
}
