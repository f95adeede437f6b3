import type { ApiToken } from '../api/records.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { isolated } from '../format/bidi.ts'

interface EndSessionsDialogProps {
  /** Tokens that were created in the sessions to end. Empty while the dialog is closed. */
  tokens: readonly ApiToken[]
  pending: boolean
  error: unknown
  onClose: () => void
  onConfirm: () => void
}

/** Asks before tokens end with the sessions that created them. */
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
      Created there:{' '}
      <strong className="wrap-anywhere">{tokens.map(({ name }) => isolated(name)).join(', ')}</strong>.
      Programs that use {tokens.length === 1 ? 'it' : 'them'} will be refused immediately. To keep the
      programs working, first create new tokens in this session.
    </ConfirmDialog>
  )
}
