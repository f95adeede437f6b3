import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ApiToken } from '../api/records.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { revokeToken } from './tokens-api.ts'

interface RevokeTokenDialogProps {
  /** Null while the dialog is closed. */
  token: ApiToken | null
  onClose: () => void
}

export function RevokeTokenDialog({ token, onClose }: RevokeTokenDialogProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const revocation = useMutation({
    mutationFn: revokeToken,
    onSuccess: () => {
      toast('Token revoked')
      onClose()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['tokens'] }),
  })
  const close = () => {
    revocation.reset()
    onClose()
  }
  return (
    <ConfirmDialog
      open={token !== null}
      onOpenChange={close}
      title={
        <>
          Revoke <bdi>{token?.name ?? 'the token'}</bdi>?
        </>
      }
      action="Revoke"
      pending={revocation.isPending}
      error={revocation.error}
      onConfirm={() => token && revocation.mutate(token.id)}
    >
      Requests with this token will be refused immediately on every server. This cannot be undone.
    </ConfirmDialog>
  )
}
