import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiToken } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Card, CardHeader } from '../components/card.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { FormError } from '../components/form-error.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { DateTime } from '../components/time.tsx'
import { isolate } from '../format/bidi.ts'
import {
  currentSessionQuery,
  revokeOtherSessions,
  revokeSession,
  type SessionRecord,
  sessionsQuery,
} from './auth-api.ts'
import { browserName } from './browser-name.ts'
import { tokensQuery } from './tokens-api.ts'

/** The sessions of the account. */
export function Sessions() {
  const queryClient = useQueryClient()
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const { data: current } = useQuery(currentSessionQuery)
  const { data: tokens = [] } = useQuery(tokensQuery)
  /** The session to end, or all other sessions, while the dialog is open. */
  const [asked, setAsked] = useState<SessionRecord | 'others' | null>(null)
  const revocation = useMutation({
    mutationFn: (which: SessionRecord | 'others') =>
      which === 'others' ? revokeOtherSessions() : revokeSession(which.token),
    onSuccess: () => setAsked(null),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['tokens'] })
      return queryClient.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  const ownId = current?.session.id
  const tokensOf = (which: SessionRecord | 'others' | null) =>
    tokens.filter(({ session_id, revoked_at }) =>
      revoked_at !== null || session_id === null || which === null
        ? false
        : which === 'others'
          ? session_id !== ownId && sessions?.some(({ id }) => id === session_id)
          : session_id === which.id,
    )
  const end = (which: SessionRecord | 'others') =>
    tokensOf(which).length > 0 ? setAsked(which) : revocation.mutate(which)
  const close = () => {
    revocation.reset()
    setAsked(null)
  }
  return (
    <Card aria-label="Sessions">
      <CardHeader
        title="Sessions"
        description="Where this account is signed in. Ending a session also ends the API tokens created in it."
        actions={
          sessions && sessions.length > 1 ? (
            <Button
              size="sm"
              pending={revocation.isPending && revocation.variables === 'others'}
              onClick={() => end('others')}
            >
              End all others
            </Button>
          ) : null
        }
      />
      <FormError error={asked === null ? revocation.error : null} />
      {sessions && ownId ? (
        <ul className="divide-y border-t">
          {sessions.map((session) => (
            <SessionItem
              key={session.id}
              session={session}
              isOwn={session.id === ownId}
              isEnding={revocation.isPending && revocation.variables === session}
              onEnd={() => end(session)}
            />
          ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <SkeletonRows rows={1} />
      )}
      <EndSessionsDialog
        tokens={tokensOf(asked)}
        pending={revocation.isPending}
        error={revocation.error}
        onClose={close}
        onConfirm={() => asked && revocation.mutate(asked)}
      />
    </Card>
  )
}

interface SessionItemProps {
  session: SessionRecord
  isOwn: boolean
  isEnding: boolean
  onEnd: () => void
}

function SessionItem({ session, isOwn, isEnding, onEnd }: SessionItemProps) {
  const { userAgent, ipAddress, createdAt } = session
  return (
    <li className="flex items-center justify-between gap-3 px-5 py-3">
      <div className="min-w-0">
        <p className="font-medium">
          {browserName(userAgent)} {isOwn ? <Badge tone="accent">this session</Badge> : null}
        </p>
        <p className="text-xs text-muted">
          {ipAddress ? `${ipAddress} · ` : ''}since <DateTime at={createdAt} />
        </p>
      </div>
      {isOwn ? null : (
        <Button size="sm" pending={isEnding} onClick={onEnd}>
          End
        </Button>
      )}
    </li>
  )
}

interface EndSessionsDialogProps {
  /** Tokens that were created in the sessions to end. Empty while the dialog is closed. */
  tokens: readonly ApiToken[]
  pending: boolean
  error: unknown
  onClose: () => void
  onConfirm: () => void
}

/** Asks before tokens end with the sessions that created them. */
function EndSessionsDialog({ tokens, pending, error, onClose, onConfirm }: EndSessionsDialogProps) {
  return (
    <ConfirmDialog
      open={tokens.length > 0}
      onOpenChange={onClose}
      title={tokens.length === 1 ? 'An API token ends too' : `${tokens.length} API tokens end too`}
      action="End"
      pending={pending}
      error={error}
      onConfirm={onConfirm}
    >
      Created there:{' '}
      <strong className="wrap-anywhere">{tokens.map(({ name }) => isolate(name)).join(', ')}</strong>.
      Programs that use {tokens.length === 1 ? 'it' : 'them'} will be refused immediately. To keep the
      programs working, first create new tokens in this session.
    </ConfirmDialog>
  )
}
