import type { ApiToken } from '../../api/records.ts'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { isolated } from '../../isolated.ts'

interface EndSessionsDialogProps {
  /** That were made in the sessions to be ended; none if nothing is asked. */
  tokens: readonly ApiToken[]
  pending: boolean
  error: unknown
  onClose: () => void
  onConfirm: () => void
}

/** Asks before tokens end with the sessions that they were made in. */
export function EndSessionsDialog({ tokens, pending, error, onClose, onConfirm }: EndSessionsDialogProps) {
  return (
    <ConfirmDialog
      open={tokens.length > 0}
      onOpenChange={onClose}
      title={tokens.length === 1 ? 'An API token ends too' : `${tokens.length} API tokens end too`}
      action="End"
      pending={pending}
      error={error}
      onConfirm={onConfirm}
    >
      Made there:{' '}
      <strong className="wrap-anywhere">{tokens.map(({ name }) => isolated(name)).join(', ')}</strong>.
      Programs that use {tokens.length === 1 ? 'it' : 'them'} are refused from this moment on. To keep them
      going, make new tokens here first.
    </ConfirmDialog>
  )
}
