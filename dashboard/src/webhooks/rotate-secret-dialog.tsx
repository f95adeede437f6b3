import { useMutation } from '@tanstack/react-query'
import type { WebhookEndpoint } from '../api/records.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { DateTime } from '../components/time.tsx'
import { NewSecretDialog } from './new-secret.tsx'
import { rotateSecret } from './webhooks-api.ts'

interface RotateSecretDialogProps {
  endpoint: WebhookEndpoint
  open: boolean
  onClose: () => void
}

/** Asks for confirmation and shows the new secret. It is shown even if the question was closed before the response. */
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
        title="Rotate the secret?"
        action="Rotate secret"
        pending={rotation.isPending}
        error={rotation.error}
        onConfirm={() => rotation.mutate()}
      >
        The current secret also signs for one more day, so that your program can switch. Then it stops
        working. This cannot be undone.
      </ConfirmDialog>
      <LeaveGuard
        isNeeded={rotation.isPending || rotated !== undefined}
        title="Leave without the new secret?"
      >
        The new secret is shown only once.
      </LeaveGuard>
      <NewSecretDialog secret={rotated?.secret ?? null} onDone={close}>
        {rotated ? (
          <p>
            The old secret also signs until <DateTime at={rotated.old_secret_until} />.
          </p>
        ) : null}
      </NewSecretDialog>
    </>
  )
}
