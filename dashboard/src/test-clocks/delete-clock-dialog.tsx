import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TestClock } from '../api/records.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { deleteTestClock } from './test-clocks-api.ts'

interface DeleteClockDialogProps {
  clock: TestClock
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function DeleteClockDialog({ clock: { id }, open, onOpenChange }: DeleteClockDialogProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const deletion = useMutation({
    mutationFn: () => deleteTestClock(id),
    onSuccess: async () => {
      toast('Test clock deleted')
      await navigate({ to: '/test-clocks' })
      queryClient.removeQueries({ queryKey: ['test-clocks', 'one', id] })
      for (const key of ['test-clocks', 'claims', 'candidates'])
        void queryClient.invalidateQueries({ queryKey: [key, 'list'] })
    },
  })
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Delete this test clock?"
      action="Delete"
      pending={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate()}
    >
      All its claims and candidates are deleted too. This cannot be undone.
    </ConfirmDialog>
  )
}
