import { type AnyClaim, type ClaimKind, customerOf, nameOf } from '../api/claims.ts'
import { ClaimLink } from './claim-link.tsx'
import { useCustomerNames } from './customer-names.ts'
import { DueText } from './due-text.tsx'
import { OnTestClock } from './on-test-clock.tsx'
import { useSchemaNames } from './schema-names.ts'
import { Money } from './ui/money.tsx'
import { StatusBadge } from './ui/status-badge.tsx'
import { LinkRow, Table, Td, Th } from './ui/table.tsx'
import { DateTime } from './ui/time.tsx'

interface ClaimTableProps {
  kind: ClaimKind
  claims: readonly AnyClaim[]
}

/** Claims or candidates; on a phone the lesser columns go below the greater. */
export function ClaimTable({ kind, claims }: ClaimTableProps) {
  const nameOfCustomer = useCustomerNames()
  const nameOfSchema = useSchemaNames()
  const customer = (one: AnyClaim) => (kind === 'claims' ? nameOfCustomer(customerOf(one)) : customerOf(one))
  return (
    <Table aria-label={kind === 'claims' ? 'Claims' : 'Candidates'}>
      <thead>
        <tr>
          <Th>{kind === 'claims' ? 'Claim' : 'Candidate'}</Th>
          <Th className="max-md:hidden">Customer</Th>
          <Th className="max-sm:pl-2">Status</Th>
          <Th className="max-sm:hidden">Due or since</Th>
          <Th className="text-right max-sm:hidden">Price</Th>
          <Th className="max-xl:hidden">Schema</Th>
          <Th className="max-lg:hidden">Created</Th>
        </tr>
      </thead>
      <tbody>
        {claims.map((one) => (
          <LinkRow key={nameOf(one)}>
            <Td className="max-w-44 max-sm:pr-2 sm:max-w-80">
              <span className="flex flex-wrap items-center gap-x-1.5">
                <ClaimLink one={one} />
                {one.test_clock_id ? <OnTestClock /> : null}
              </span>
              <bdi className="block text-xs text-muted md:hidden">{customer(one)}</bdi>
            </Td>
            <Td className="max-w-56 min-w-36 max-md:hidden">
              <bdi>{customer(one)}</bdi>
            </Td>
            <Td className="max-sm:pl-2">
              <span className="flex flex-wrap">
                <StatusBadge status={one.status} scheduledOutcome={one.scheduled_outcome} />
              </span>
              <span className="mt-0.5 block text-xs text-muted sm:hidden">
                <DueText one={one} />
              </span>
            </Td>
            <Td className="text-muted max-sm:hidden">
              <DueText one={one} />
            </Td>
            <Td className="text-right max-sm:hidden">
              <Money amount={one.contract.price} />
            </Td>
            <Td className="max-w-48 text-muted max-xl:hidden">
              {one.schema_id === null ? null : (
                <bdi className="block truncate">{nameOfSchema(one.schema_id)}</bdi>
              )}
            </Td>
            <Td className="text-muted max-lg:hidden">
              <DateTime at={one.created_at} />
            </Td>
          </LinkRow>
        ))}
      </tbody>
    </Table>
  )
}
