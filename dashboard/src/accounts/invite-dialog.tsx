import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorsByPath } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Dialog, DialogActions, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { Secret } from '../components/secret.tsx'
import { createInvitation } from './invitations-api.ts'

interface InviteDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function InviteDialog({ open, onOpenChange }: InviteDialogProps) {
  const [url, setUrl] = useState<string | null>(null)
  const close = () => {
    setUrl(null)
    onOpenChange(false)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      isHeld={url !== null}
      title="Invite someone"
      description="They get their own account. It cannot see your records."
    >
      {url ? <InvitationLink url={url} onDone={close} /> : <InviteForm onCreated={setUrl} />}
    </Dialog>
  )
}

function InviteForm({ onCreated }: { onCreated: (url: string) => void }) {
  const [email, setEmail] = useState('')
  const queryClient = useQueryClient()
  const creation = useMutation({
    mutationFn: createInvitation,
    onSuccess: ({ url }) => {
      void queryClient.invalidateQueries({ queryKey: ['invitations'] })
      onCreated(url)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creation.mutate(email ? { email } : {})
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <Field
        label="Email (optional)"
        hint="If set, the link only creates an account with this address."
        error={errorsByPath(creation.error).email}
      >
        {(props) => (
          <Input {...props} type="email" value={email} onChange={(event) => setEmail(event.target.value)} />
        )}
      </Field>
      <FormError error={creation.error} shownPaths={['email']} />
      <SubmitActions action="Create link" pending={creation.isPending} />
    </Form>
  )
}

function InvitationLink({ url, onDone }: { url: string; onDone: () => void }) {
  return (
    <div className="grid gap-3">
      <p>Send this link to the person. It works once and is shown only now.</p>
      <Secret text={url} label="link" />
      <DialogActions>
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}
