import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createEndpoint } from '../../api/webhooks.ts'
import { Dialog } from '../../components/ui/dialog.tsx'
import { EndpointForm } from '../../components/webhooks/endpoint-form.tsx'
import { NewSecretDialog } from '../../components/webhooks/new-secret.tsx'

interface CreateEndpointDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Asks for its settings, shows its secret, and goes to its page. */
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
        <p>Your program verifies by it that what arrives comes from here, and is as it was sent.</p>
      </NewSecretDialog>
    </>
  )
}
