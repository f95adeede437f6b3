import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Plus, Users } from 'lucide-react'
import { useState } from 'react'
import { metadataPairsIn } from '../api/metadata-filters.ts'
import type { Customer } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState, MORE_TO_SEARCH } from '../components/empty-state.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Pagination } from '../components/pagination.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { LinkRow, Table, Td, Th } from '../components/table.tsx'
import { DateTime } from '../components/time.tsx'
import { usePages } from '../components/use-pages.ts'
import { isolate } from '../format/bidi.ts'
import { CreateCustomerDialog } from './create-customer-dialog.tsx'
import { CustomerFilterBar } from './customer-filter-bar.tsx'
import type { CustomerSearch } from './customer-filters.ts'
import { customersQuery } from './customers-api.ts'

export function CustomersPage() {
  const { after, ...filters } = getRouteApi('/shell/customers').useSearch()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(customersQuery({ ...filters, after }))
  const [isCreating, setCreating] = useState(false)
  const pages = usePages(after, data?.next_cursor ?? null, (cursor, state) =>
    navigate({ to: '/customers', search: { ...filters, ...(cursor ? { after: cursor } : {}) }, state }),
  )
  const createButton = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden /> Create customer
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Customers"
        description="Who the outcomes are promised to. Each claim belongs to one customer."
        actions={createButton}
      />
      <CustomerFilterBar filters={filters} />
      <Card aria-label="Customers">
        {data && data.data.length > 0 ? (
          <CustomerTable customers={data.data} />
        ) : data && Object.keys(filters).length > 0 ? (
          <NoneFound filters={filters} goesOn={data.next_cursor !== null} />
        ) : data ? (
          <EmptyState icon={Users} title="No customers yet" actions={createButton}>
            A customer has an external_id: your own name for it, for example an account number. Create one
            here or with POST /v1/customers.
          </EmptyState>
        ) : error ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <SkeletonRows />
        )}
        <Pagination {...pages} />
      </Card>
      <CreateCustomerDialog open={isCreating} onOpenChange={setCreating} />
    </>
  )
}

/** @param goesOn whether the list continues with records that were not searched yet */
function NoneFound({ filters, goesOn }: { filters: CustomerSearch; goesOn: boolean }) {
  const { search } = filters
  const isSearch = search !== undefined && metadataPairsIn(filters).length === 0
  return (
    <EmptyState
      icon={Users}
      title={isSearch ? `No customer starts with ${isolate(search)}` : 'No customers match the filters'}
    >
      {goesOn
        ? MORE_TO_SEARCH
        : isSearch
          ? 'The search finds external ids and names that start with this text, in upper or lower case.'
          : 'Change or remove the filters above.'}
    </EmptyState>
  )
}

const CustomerTable = ({ customers }: { customers: readonly Customer[] }) => (
  <Table aria-label="Customers">
    <thead>
      <tr>
        <Th>External id</Th>
        <Th>Name</Th>
        <Th className="max-sm:hidden">Created</Th>
      </tr>
    </thead>
    <tbody>
      {customers.map(({ id, external_id, name, created_at }) => (
        <LinkRow key={id}>
          <Td className="max-w-72 break-words">
            <Link
              to="/customers/$id"
              params={{ id }}
              className="font-medium underline-offset-4 hover:underline"
            >
              <bdi>{external_id}</bdi>
            </Link>
          </Td>
          <Td className="max-w-72 break-words">
            {name === null ? <span className="text-muted">none</span> : <bdi>{name}</bdi>}
          </Td>
          <Td className="text-muted max-sm:hidden">
            <DateTime at={created_at} />
          </Td>
        </LinkRow>
      ))}
    </tbody>
  </Table>
)
