import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ClaimKind } from '../api/records.ts'
import { Card, CardHeader } from '../components/card.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { ClaimTable } from './claim-table.tsx'
import { type ClaimFilters, claimsQuery } from './claims-api.ts'

interface ClaimSectionProps {
  kind: ClaimKind
  filters: ClaimFilters
  emptyText: string
}

const MAX_SHOWN_CLAIMS = 5
const TITLES = { claims: 'Claims', candidates: 'Candidates' } as const

/** The newest claims or candidates with these filters, and a link to all of them. */
export function ClaimSection({ kind, filters, emptyText }: ClaimSectionProps) {
  const { data, error, refetch } = useQuery(claimsQuery(kind, filters, undefined, MAX_SHOWN_CLAIMS))
  const title = TITLES[kind]
  return (
    <Card aria-label={title}>
      <CardHeader
        title={title}
        description={data?.next_cursor ? `The newest ${MAX_SHOWN_CLAIMS}.` : undefined}
        actions={
          data && data.data.length > 0 ? (
            <Link to={`/${kind}`} search={filters} className="underline underline-offset-4">
              Show all {kind}
            </Link>
          ) : null
        }
      />
      {data && data.data.length > 0 ? (
        <ClaimTable kind={kind} claims={data.data} />
      ) : data ? (
        <p className="px-5 pb-5 text-muted">{emptyText}</p>
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <SkeletonRows rows={3} />
      )}
    </Card>
  )
}
