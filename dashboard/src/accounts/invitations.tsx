import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorsByPath } from '../api/client.ts'
import type { Invitation } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Card, CardHeader } from '../components/card.tsx'
import { Dialog, DialogActions, SubmitActions } from '../components/dialog.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { Secret } from '../components/secret.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { DateTime } from '../components/time.tsx'
import { useNow } from '../components/use-now.ts'
import { createInvitation, invitationsQuery, revokeInvitation } from './invitations-api.ts'

/** One-time links that create accounts. */
export function Invitations() {
  const { data, error, refetch } = useQuery(invitationsQuery)
  const [isInviting, setInviting] = useState(false)
  return (
    <Card aria-label="Invitations">
      <CardHeader
        title="Invitations"
        description="Each link creates one account with its own records."
        actions={
          <Button size="sm" onClick={() => setInviting(true)}>
            Invite
          </Button>
        }
      />
      {data ? (
        <InvitationList invitations={data} />
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <SkeletonRows rows={1} />
      )}
      <InviteDialog open={isInviting} onOpenChange={setInviting} />
    </Card>
  )
}

function InvitationList({ invitations }: { invitations: readonly Invitation[] }) {
  const queryClient = useQueryClient()
  const now = useNow()
  const revocation = useMutation({
    mutationFn: revokeInvitation,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['invitations'] }),
  })
  if (invitations.length === 0) return <p className="px-5 pb-5 text-muted">No invitations yet.</p>
  return (
    <>
      <FormError error={revocation.error} />
      <ul className="divide-y border-t">
        {invitations.map((invitation) => (
          <li key={invitation.id} className="flex items-center justify-between gap-3 px-5 py-3">
            <div className="min-w-0">
              <p className="font-medium break-all">{invitation.email ?? 'Anyone with the link'}</p>
              <p className="text-xs text-muted">
                valid until <DateTime at={invitation.expires_at} />
              </p>
            </div>
            {invitation.used_at ? (
              <Badge tone="confirmed">used</Badge>
            ) : Date.parse(invitation.expires_at) <= now ? (
              <Badge>expired</Badge>
            ) : (
              <Button
                size="sm"
                pending={revocation.isPending && revocation.variables === invitation.id}
                onClick={() => revocation.mutate(invitation.id)}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

interface InviteDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

function InviteDialog({ open, onOpenChange }: InviteDialogProps) {
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
