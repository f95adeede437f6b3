import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { NewSecretDialog } from './new-secret.tsx'
import { createEndpoint } from './webhooks-api.ts'

interface CreateEndpointDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Asks for the settings, shows the secret, then opens the page of the endpoint. */
export function CreateEndpointDialog({ open, onOpenChange }: CreateEndpointDialogProps) {
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const creation = useMutation({
    mutationFn: createEndpoint,
    onSuccess: ({ id, secret }) => {
      setMade({ id, secret })
      onOpenChange(false)
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  const close = () => {
    creation.reset()
    onOpenChange(false)
  }
  return (
    <>
      <Dialog open={open} onOpenChange={close} title="Create a webhook endpoint">
        <EndpointForm
          action="Create"
          pending={creation.isPending}
          error={creation.error}
          onSubmit={(settings) => creation.mutate(settings)}
        />
      </Dialog>
      <NewSecretDialog
        secret={made?.secret ?? null}
        onDone={() => made && void navigate({ to: '/webhooks/$id', params: { id: made.id } })}
      >
        <p>Your program uses the secret to verify that a delivery comes from here and was not changed.</p>
      </NewSecretDialog>
    </>
  )
}
