import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { Tagged } from '../../api/client.ts'
import type { WebhookEndpoint } from '../../api/records.ts'
import { switchEndpoint } from '../../api/webhooks.ts'
import { Button } from '../../components/ui/button.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { useToast } from '../../components/ui/toast.tsx'
import { DeleteEndpointDialog } from './delete-endpoint-dialog.tsx'
import { EditEndpointDialog } from './edit-endpoint-dialog.tsx'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'

type Asked = 'edit' | 'rotate' | 'delete' | null

/** What one can do to it. */
export function EndpointActions({ endpoint }: { endpoint: Tagged<WebhookEndpoint> }) {
  const [asked, setAsked] = useState<Asked>(null)
  const switching = useSwitch(endpoint)
  const close = () => setAsked(null)
  return (
    <>
      <Button onClick={() => setAsked('edit')}>
        <Pencil aria-hidden /> Edit
      </Button>
      <Button
        variant={endpoint.enabled ? 'secondary' : 'primary'}
        pending={switching.isPending}
        onClick={() => switching.mutate()}
      >
        {endpoint.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button onClick={() => setAsked('rotate')}>Rotate secret</Button>
      <Button onClick={() => setAsked('delete')}>Delete</Button>
      <FormError error={switching.error} />
      <EditEndpointDialog endpoint={endpoint} open={asked === 'edit'} onClose={close} />
      <RotateSecretDialog endpoint={endpoint} open={asked === 'rotate'} onClose={close} />
      <DeleteEndpointDialog endpoint={endpoint} open={asked === 'delete'} onClose={close} />
    </>
  )
}

/** On if it is off, and off if it is on. */
function useSwitch({ id, enabled }: WebhookEndpoint) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: () => switchEndpoint(id, !enabled),
    onSuccess: (changed) => {
      queryClient.setQueryData(['webhooks', 'endpoints', 'one', id], changed)
      toast(changed.enabled ? 'Endpoint enabled' : 'Endpoint disabled')
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
  })
}
