import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Tagged } from '../api/client.ts'
import type { ClaimSchema } from '../api/records.ts'
import { ChangedDialog } from '../components/changed-dialog.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedAction } from '../components/use-guarded-action.ts'
import { SCHEMA_TEXTS } from './schema-texts.ts'
import { deleteSchema, readSchema } from './schemas-api.ts'

interface DeleteSchemaDialogProps {
  schema: Tagged<ClaimSchema>
  open: boolean
  onClose: () => void
}

export const DeleteSchemaDialog = ({ open, ...props }: DeleteSchemaDialogProps) =>
  open ? <Deletion {...props} /> : null

function Deletion({ schema, onClose }: Omit<DeleteSchemaDialogProps, 'open'>) {
  // The record when the dialog was opened. The page may refetch it.
  const [base] = useState(schema)
  const { id } = base
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const deletion = useGuardedAction({
    read: () => readSchema(id),
    act: deleteSchema,
    texts: SCHEMA_TEXTS,
    onDone: async () => {
      toast('Schema deleted')
      await navigate({ to: '/schemas', ignoreBlocker: true })
      queryClient.removeQueries({ queryKey: ['schemas', 'one', id] })
      await queryClient.invalidateQueries({ queryKey: ['schemas', 'list'] })
    },
  })
  const leave = () => {
    onClose()
    void queryClient.invalidateQueries({ queryKey: ['schemas', 'one', id] })
  }
  return (
    <>
      <ConfirmDialog
        open
        onOpenChange={onClose}
        title="Delete this schema?"
        action="Delete"
        pending={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.act(base)}
      >
        Claims created from this schema keep their contract. Programs that create claims from it will fail.
        This cannot be undone.
      </ConfirmDialog>
      <ChangedDialog kind="schema" acting={deletion} action="Delete" onLeave={leave} />
    </>
  )
}
