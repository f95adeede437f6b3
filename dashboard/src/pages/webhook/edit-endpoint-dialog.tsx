import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { WebhookEndpoint } from '../../api/records.ts'
import { changeEndpoint, type EndpointSettings } from '../../api/webhooks.ts'
import { Dialog } from '../../components/ui/dialog.tsx'
import { useToast } from '../../components/ui/toast.tsx'
import { EndpointForm } from '../../components/webhooks/endpoint-form.tsx'

interface EditEndpointDialogProps {
  endpoint: WebhookEndpoint
  open: boolean
  onClose: () => void
}

export function EditEndpointDialog({ endpoint, open, onClose }: EditEndpointDialogProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const change = useMutation({
    mutationFn: (settings: EndpointSettings) => changeEndpoint(endpoint.id, settings),
    onSuccess: (changed) => {
      queryClient.setQueryData(['webhooks', 'endpoints', 'one', changed.id], changed)
      toast('Endpoint changed')
      onClose()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
  })
  const close = () => {
    change.reset()
    onClose()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title="Edit the endpoint"
      description="It takes effect within some seconds."
    >
      <EndpointForm
        endpoint={endpoint}
        action="Save"
        pending={change.isPending}
        error={change.error}
        onSubmit={(settings) => change.mutate(settings)}
        onCancel={close}
      />
    </Dialog>
  )
}
