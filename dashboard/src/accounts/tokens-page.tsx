import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import type { ApiToken } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { Table, Td, Th, Tr } from '../components/table.tsx'
import { DateTime, RelativeTime } from '../components/time.tsx'
import { useNow } from '../components/use-now.ts'
import { CreateTokenDialog } from './create-token-dialog.tsx'
import { RevokeTokenDialog } from './revoke-token-dialog.tsx'
import { tokensQuery } from './tokens-api.ts'

/** Refetch interval, for the last use of tokens. */
const POLL_MS = 10_000

export function TokensPage() {
  const { data, error, refetch } = useQuery({ ...tokensQuery, refetchInterval: POLL_MS })
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<ApiToken | null>(null)
  const createButton = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden /> Create token
    </Button>
  )
  return (
    <>
      <PageHeader
        title="API tokens"
        description="A program with a token can do everything that you can, except manage tokens and invitations. A token ends when it is revoked or when the session that created it ends."
        actions={createButton}
      />
      <Card aria-label="API tokens">
        {data && data.length > 0 ? (
          <TokenTable tokens={data} onRevoke={setRevoking} />
        ) : data ? (
          <EmptyState icon={KeyRound} title="No tokens yet" actions={createButton}>
            Programs send a token in the Authorization header of each request.
          </EmptyState>
        ) : error ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <SkeletonRows rows={3} />
        )}
      </Card>
      <CreateTokenDialog open={isCreating} onOpenChange={setCreating} />
      <RevokeTokenDialog token={revoking} onClose={() => setRevoking(null)} />
    </>
  )
}

interface TokenTableProps {
  tokens: readonly ApiToken[]
  onRevoke: (token: ApiToken) => void
}

function TokenTable({ tokens, onRevoke }: TokenTableProps) {
  const now = useNow()
  return (
    <Table aria-label="API tokens">
      <thead>
        <tr>
          <Th>Name</Th>
          <Th>Last used</Th>
          <Th className="max-md:hidden">Expires</Th>
          <Th className="max-lg:hidden">Created</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => {
          const isUsable = !token.revoked_at && !hasExpired(token, now)
          return (
            <Tr key={token.id}>
              <Td className="max-w-64 font-medium break-words">
                <bdi>{token.name}</bdi> <TokenState token={token} now={now} />
              </Td>
              <Td className="text-muted">
                {token.last_used_at ? <RelativeTime at={token.last_used_at} /> : 'never'}
              </Td>
              <Td className="text-muted max-md:hidden">
                {token.expires_at ? <DateTime at={token.expires_at} /> : 'never'}
              </Td>
              <Td className="text-muted max-lg:hidden">
                <DateTime at={token.created_at} />
              </Td>
              <Td className="text-right">
                {isUsable ? (
                  <Button size="sm" onClick={() => onRevoke(token)} aria-label={`Revoke ${token.name}`}>
                    Revoke
                  </Button>
                ) : null}
              </Td>
            </Tr>
          )
        })}
      </tbody>
    </Table>
  )
}

const hasExpired = ({ expires_at }: ApiToken, now: number) =>
  expires_at !== null && Date.parse(expires_at) <= now

function TokenState({ token, now }: { token: ApiToken; now: number }) {
  if (token.revoked_at) return <Badge tone="failed">revoked</Badge>
  return hasExpired(token, now) ? <Badge>expired</Badge> : null
}
