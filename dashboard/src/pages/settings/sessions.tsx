import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { currentSessionQuery, revokeOtherSessions, revokeSession, sessionsQuery } from '../../api/auth.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card, CardHeader } from '../../components/ui/card.tsx'
import { ErrorState } from '../../components/ui/error-state.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { SkeletonRows } from '../../components/ui/skeleton.tsx'
import { DateTime } from '../../components/ui/time.tsx'
import { browserName } from './browser-name.ts'

/** Where this account is signed in. */
export function Sessions() {
  const queryClient = useQueryClient()
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const { data: current } = useQuery(currentSessionQuery)
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['sessions'] })
  const revocation = useMutation({ mutationFn: revokeSession, onSettled })
  const revocationOfOthers = useMutation({ mutationFn: revokeOtherSessions, onSettled })
  const ownId = current?.session.id
  return (
    <Card aria-label="Sessions">
      <CardHeader
        title="Sessions"
        description="Where this account is signed in."
        actions={
          sessions && sessions.length > 1 ? (
            <Button
              size="sm"
              pending={revocationOfOthers.isPending}
              onClick={() => revocationOfOthers.mutate()}
            >
              End all others
            </Button>
          ) : null
        }
      />
      <FormError error={revocation.error ?? revocationOfOthers.error} />
      {sessions && ownId ? (
        <ul className="divide-y border-t">
          {sessions.map(({ id, token, userAgent, ipAddress, createdAt }) => (
            <li key={id} className="flex items-center justify-between gap-3 px-5 py-3">
              <div className="min-w-0">
                <p className="font-medium">
                  {browserName(userAgent)} {id === ownId ? <Badge tone="accent">this one</Badge> : null}
                </p>
                <p className="text-xs text-muted">
                  {ipAddress ? `${ipAddress} · ` : ''}since <DateTime at={createdAt} />
                </p>
              </div>
              {id === ownId ? null : (
                <Button
                  size="sm"
                  pending={revocation.isPending && revocation.variables === token}
                  onClick={() => revocation.mutate(token)}
                >
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <SkeletonRows rows={1} />
      )}
    </Card>
  )
}
