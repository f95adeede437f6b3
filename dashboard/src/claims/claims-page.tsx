import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Download, FileCheck, Plus, Send, Tags } from 'lucide-react'
import { useState } from 'react'
import { isReservedType } from '../../../src/core/claims/event.ts'
import { decisiveEventTypes } from '../../../src/core/contracts/contract.ts'
import type { ClaimKind } from '../api/records.ts'
import { Button, buttonVariants } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState, MORE_TO_SEARCH } from '../components/empty-state.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Pagination } from '../components/pagination.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { usePages } from '../components/use-pages.ts'
import { BulkDialog } from './bulk/bulk-dialog.tsx'
import { ClaimFilterBar } from './claim-filter-bar.tsx'
import type { ClaimSearch } from './claim-filters.ts'
import { ClaimTable } from './claim-table.tsx'
import {
  type AnyClaim,
  claimsQuery,
  exportUrl,
  type ListedPage,
  type Total,
  totalQuery,
} from './claims-api.ts'
import { useColumns } from './column-menu.tsx'
import { CreateClaimDialog } from './create-claim-dialog.tsx'

export const ClaimsPage = () => (
  <ClaimListPage kind="claims" search={getRouteApi('/shell/claims').useSearch()} />
)

export const CandidatesPage = () => (
  <ClaimListPage kind="candidates" search={getRouteApi('/shell/candidates').useSearch()} />
)

const WORDS = {
  claims: {
    title: 'Claims',
    create: 'Create claim',
    description: 'Each claim is a promise with a contract: did the outcome happen, yes or no?',
  },
  candidates: {
    title: 'Candidates',
    create: 'Create candidate',
    description: 'Claims that you address by your own alias, for example an order number.',
  },
}

function ClaimListPage({ kind, search }: { kind: ClaimKind; search: ClaimSearch }) {
  const { after, ...filters } = search
  const list = useQuery(claimsQuery(kind, filters, after))
  const navigate = useNavigate()
  const pages = usePages(after, list.data?.next_cursor ?? null, (cursor, state) =>
    navigate({ to: `/${kind}`, search: { ...filters, ...(cursor ? { after: cursor } : {}) }, state }),
  )
  const total = useTotal(kind, search, list.isPlaceholderData ? undefined : list.data)
  const [asked, setAsked] = useState<'create' | 'bulk' | null>(null)
  const columns = useColumns(kind, filters.sort)
  const isFiltered = Object.keys(filters).length > 0
  const { title, create, description } = WORDS[kind]
  const createButton = (
    <Button variant="primary" onClick={() => setAsked('create')}>
      <Plus aria-hidden /> {create}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={
          <>
            <a className={buttonVariants()} href={exportUrl(kind, filters, list.data?.by)} download>
              <Download aria-hidden /> Export CSV
            </a>
            <Button onClick={() => setAsked('bulk')}>
              <Send aria-hidden /> Submit to all
            </Button>
            {createButton}
          </>
        }
      />
      <ClaimFilterBar kind={kind} filters={filters} columns={columns} />
      <Card aria-label={title} aria-busy={list.isPlaceholderData}>
        {list.isPending ? (
          <SkeletonRows rows={10} />
        ) : list.isError && !list.data ? (
          <ErrorState error={list.error} retry={list.refetch} />
        ) : list.data.data.length > 0 ? (
          <ClaimTable kind={kind} claims={list.data.data} columns={columns.shown} />
        ) : (
          <NoClaims
            kind={kind}
            isFiltered={isFiltered}
            goesOn={list.data.next_cursor !== null}
            createButton={createButton}
          />
        )}
        <Pagination {...pages} total={total} />
      </Card>
      <CreateClaimDialog kind={kind} open={asked === 'create'} onOpenChange={() => setAsked(null)} />
      <BulkDialog
        kind={kind}
        filters={filters}
        types={eventTypesOf(list.data?.data ?? [])}
        open={asked === 'bulk'}
        onClose={() => setAsked(null)}
      />
    </>
  )
}

/** The total as text. A list of one page is not counted. Undefined while unknown and for an empty list. */
function useTotal(kind: ClaimKind, { after, ...filters }: ClaimSearch, page: ListedPage | undefined) {
  const isAll = page !== undefined && page.next_cursor === null && after === undefined
  const asked = useQuery({
    ...totalQuery(kind, filters, page?.by ?? 'search'),
    enabled: page !== undefined && !isAll,
  })
  const total: Total | undefined = isAll ? { count: page.data.length, is_exact: true } : asked.data
  // The count scans a limited number of records, so it may be lower than the shown page.
  if (!total || total.count === 0 || total.count < (page?.data.length ?? 0)) return undefined
  const count = total.count.toLocaleString('en')
  const what = total.count === 1 ? kind.slice(0, -1) : kind
  return total.is_exact ? `${count} ${what}` : `at least ${count} ${what}`
}

/** The event types that the conditions of the shown claims ask for. */
function eventTypesOf(shown: readonly AnyClaim[]): string[] {
  const open = shown.filter(({ status }) => status === 'OPEN')
  const types = new Set(open.flatMap(({ contract }) => decisiveEventTypes(contract)))
  return [...types].filter((type) => !isReservedType(type))
}

interface NoClaimsProps {
  kind: ClaimKind
  isFiltered: boolean
  /** Whether the list continues with records that were not searched yet. */
  goesOn: boolean
  createButton: React.ReactNode
}

function NoClaims({ kind, isFiltered, goesOn, createButton }: NoClaimsProps) {
  if (goesOn) {
    return (
      <EmptyState icon={FileCheck} title={`No ${kind} match the filters so far`}>
        {MORE_TO_SEARCH}
      </EmptyState>
    )
  }
  if (isFiltered) {
    return (
      <EmptyState icon={FileCheck} title={`No ${kind} match the filters`}>
        Change or clear the filters above.
      </EmptyState>
    )
  }
  return kind === 'claims' ? (
    <EmptyState icon={FileCheck} title="No claims yet" actions={createButton}>
      A claim holds a contract: what must happen, by when, and the outcome if it does not. Create one here or
      with POST /v1/claims.
    </EmptyState>
  ) : (
    <EmptyState icon={Tags} title="No candidates yet" actions={createButton}>
      A candidate is a claim that you address by your own alias instead of an id.
    </EmptyState>
  )
}
