import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Invitation } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Card, CardHeader } from '../components/card.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { FormError } from '../components/form-error.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { DateTime } from '../components/time.tsx'
import { useNow } from '../components/use-now.ts'
import { invitationsQuery, revokeInvitation } from './invitations-api.ts'
import { InviteDialog } from './invite-dialog.tsx'

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
