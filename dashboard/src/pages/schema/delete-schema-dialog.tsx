import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteSchema } from '../../api/schemas.ts'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { useToast } from '../../components/ui/toast.tsx'

interface DeleteSchemaDialogProps {
  id: string
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function DeleteSchemaDialog({ id, open, onOpenChange }: DeleteSchemaDialogProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const deletion = useMutation({
    mutationFn: () => deleteSchema(id),
    onSuccess: async () => {
      toast('Schema deleted')
      await navigate({ to: '/schemas', ignoreBlocker: true })
      queryClient.removeQueries({ queryKey: ['schemas', 'one', id] })
      await queryClient.invalidateQueries({ queryKey: ['schemas', 'list'] })
    },
  })
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Delete this schema?"
      action="Delete"
      pending={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate()}
    >
      Claims that were created from it keep their copy of the contract. Programs that create claims from it
      will fail. It cannot be undone.
    </ConfirmDialog>
  )
}
