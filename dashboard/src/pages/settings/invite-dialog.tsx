import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorsByPath } from '../../api/client.ts'
import { createInvitation } from '../../api/invitations.ts'
import { Button } from '../../components/ui/button.tsx'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { Dialog, DialogActions } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { Input } from '../../components/ui/input.tsx'

interface InviteDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function InviteDialog({ open, onOpenChange }: InviteDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Invite someone"
      description="They get an account of their own; it does not see your records."
    >
      <InviteForm onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function InviteForm({ onDone }: { onDone: () => void }) {
  const [email, setEmail] = useState('')
  const queryClient = useQueryClient()
  const creation = useMutation({
    mutationFn: createInvitation,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['invitations'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creation.mutate(email ? { email } : {})
  }
  if (creation.data) return <InvitationLink url={creation.data.url} onDone={onDone} />
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label="Email (optional)"
        hint="Then only an account with this address can be made by the link."
        error={errorsByPath(creation.error).email}
      >
        {(props) => (
          <Input
            {...props}
            type="email"
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <FormError error={creation.error} shownPaths={['email']} />
      <DialogActions>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" pending={creation.isPending}>
          Make a link
        </Button>
      </DialogActions>
    </form>
  )
}

function InvitationLink({ url, onDone }: { url: string; onDone: () => void }) {
  return (
    <div className="grid gap-3">
      <p>Send this link to them. It works once, and is shown only now.</p>
      <CodeBlock text={url} label="link" wrap />
      <DialogActions>
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}
