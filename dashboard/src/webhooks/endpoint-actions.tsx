import { useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { Tagged } from '../api/client.ts'
import type { WebhookEndpoint } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { ChangedDialog } from '../components/changed-dialog.tsx'
import { FormError } from '../components/form-error.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedAction } from '../components/use-guarded-action.ts'
import { DeleteEndpointDialog } from './delete-endpoint-dialog.tsx'
import { EditEndpointDialog } from './edit-endpoint-dialog.tsx'
import { ENDPOINT_TEXTS } from './endpoint-texts.ts'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'
import { readEndpoint, switchEndpoint } from './webhooks-api.ts'

type Asked = 'edit' | 'rotate' | 'delete' | null

/** The buttons and dialogs of an endpoint. */
export function EndpointActions({ endpoint }: { endpoint: Tagged<WebhookEndpoint> }) {
  const [asked, setAsked] = useState<Asked>(null)
  const enabling = useSwitch(endpoint.id, true)
  const disabling = useSwitch(endpoint.id, false)
  const switching = endpoint.enabled ? disabling : enabling
  const close = () => setAsked(null)
  return (
    <>
      <Button onClick={() => setAsked('edit')}>
        <Pencil aria-hidden /> Edit
      </Button>
      <Button
        variant={endpoint.enabled ? 'secondary' : 'primary'}
        pending={switching.isPending}
        onClick={() => switching.act(endpoint)}
      >
        {endpoint.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button onClick={() => setAsked('rotate')}>Rotate secret</Button>
      <Button onClick={() => setAsked('delete')}>Delete</Button>
      <FormError error={switching.error} />
      <ChangedDialog kind="endpoint" acting={enabling} action="Enable" />
      <ChangedDialog kind="endpoint" acting={disabling} action="Disable" />
      <EditEndpointDialog endpoint={endpoint} open={asked === 'edit'} onClose={close} />
      <RotateSecretDialog endpoint={endpoint} open={asked === 'rotate'} onClose={close} />
      <DeleteEndpointDialog endpoint={endpoint} open={asked === 'delete'} onClose={close} />
    </>
  )
}

function useSwitch(id: string, isOn: boolean) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useGuardedAction({
    read: () => readEndpoint(id),
    act: (base: Tagged<WebhookEndpoint>) => switchEndpoint(base, isOn),
    texts: ENDPOINT_TEXTS,
    onDone: (changed) => {
      queryClient.setQueryData(['webhooks', 'endpoints', 'one', id], changed)
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] })
      toast(isOn ? 'Endpoint enabled' : 'Endpoint disabled')
    },
  })
}
