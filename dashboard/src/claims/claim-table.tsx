import type { ReactNode } from 'react'
import type { ClaimKind } from '../api/records.ts'
import { useSchemaNames } from '../claim-schemas/schema-names.ts'
import { cn } from '../components/cn.ts'
import { Money } from '../components/money.tsx'
import { StatusBadge } from '../components/status-badge.tsx'
import { LinkRow, Table, Td, Th } from '../components/table.tsx'
import { Countdown, DateTime, RelativeTime } from '../components/time.tsx'
import { useCustomerNames } from '../customers/customer-names.ts'
import { OnTestClock } from '../test-clocks/on-test-clock.tsx'
import { CLAIM_COLUMNS, type ClaimColumn, DEFAULT_COLUMNS } from './claim-columns.ts'
import { ClaimLink } from './claim-link.tsx'
import { type AnyClaim, customerOf, nameOf } from './claims-api.ts'
import { isPaused, PausedText } from './paused.tsx'

interface ClaimTableProps {
  kind: ClaimKind
  claims: readonly AnyClaim[]
  /** The chosen columns, shown on every screen. Null for the default columns. */
  columns?: readonly ClaimColumn[] | null
}

/** A table of claims or candidates. On a phone, the less important default columns move below the others. */
export function ClaimTable({ kind, claims, columns = null }: ClaimTableProps) {
  const render = useCells(kind)
  const shown = columns ?? DEFAULT_COLUMNS
  const isDefault = columns === null
  const classOf = (column: ClaimColumn) => cn(CLASSES[column], isDefault && HIDDEN_ON_SMALL_SCREENS[column])
  return (
    <Table aria-label={kind === 'claims' ? 'Claims' : 'Candidates'}>
      <thead>
        <tr>
          <Th>{kind === 'claims' ? 'Claim' : 'Candidate'}</Th>
          {shown.map((column) => (
            <Th key={column} className={classOf(column)}>
              {CLAIM_COLUMNS[column]}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {claims.map((claim) => (
          <LinkRow key={nameOf(claim)}>
            <Td className={cn('max-w-44 max-sm:pr-2 sm:max-w-80', !isDefault && 'min-w-32')}>
              <span className="flex flex-wrap items-center gap-x-1.5">
                <ClaimLink claim={claim} />
                {claim.test_clock_id ? <OnTestClock /> : null}
              </span>
              {isDefault ? (
                <span className="block text-xs text-muted md:hidden">{render.customer(claim)}</span>
              ) : null}
            </Td>
            {shown.map((column) => (
              <Td key={column} className={classOf(column)}>
                {render[column](claim)}
                {isDefault && column === 'status' ? (
                  <span className="mt-0.5 block text-xs text-muted sm:hidden">
                    <DueText claim={claim} />
                  </span>
                ) : null}
              </Td>
            ))}
          </LinkRow>
        ))}
      </tbody>
    </Table>
  )
}

const CLASSES: Record<ClaimColumn, string> = {
  customer: 'max-w-56 min-w-36',
  status: 'max-sm:pl-2',
  due: 'text-muted',
  price: 'text-right',
  schema: 'max-w-48 text-muted',
  created: 'text-muted',
  status_since: 'text-muted',
  id: 'text-muted',
}

const HIDDEN_ON_SMALL_SCREENS: Partial<Record<ClaimColumn, string>> = {
  customer: 'max-md:hidden',
  due: 'max-sm:hidden',
  price: 'max-sm:hidden',
  schema: 'max-xl:hidden',
  created: 'max-lg:hidden',
}

/** Renders the cell of each column. */
function useCells(kind: ClaimKind): Record<ClaimColumn, (claim: AnyClaim) => ReactNode> {
  const nameOfCustomer = useCustomerNames()
  const nameOfSchema = useSchemaNames()
  return {
    customer: (claim) => (
      <bdi>{kind === 'claims' ? nameOfCustomer(customerOf(claim)) : customerOf(claim)}</bdi>
    ),
    status: (claim) => (
      <span className="flex flex-wrap">
        <StatusBadge status={claim.status} scheduledOutcome={claim.scheduled_outcome} />
      </span>
    ),
    due: (claim) => <DueText claim={claim} />,
    price: (claim) => <Money amount={claim.contract.price} />,
    schema: ({ schema_id }) =>
      schema_id === null ? null : <bdi className="block truncate">{nameOfSchema(schema_id)}</bdi>,
    created: (claim) => <DateTime at={claim.created_at} />,
    status_since: (claim) => <DateTime at={claim.status_since} />,
    id: (claim) => <span className="font-mono text-xs whitespace-nowrap">{nameOf(claim)}</span>,
  }
}

/** A countdown for a live claim. For a test clock, which stands still, the due time. For a stopped clock, what is left. */
function DueText({ claim }: { claim: AnyClaim }) {
  if (isPaused(claim)) return <PausedText claim={claim} />
  if (!claim.due_at) {
    return claim.test_clock_id ? (
      <DateTime at={claim.status_since} />
    ) : (
      <RelativeTime at={claim.status_since} />
    )
  }
  return claim.test_clock_id ? (
    <span>
      due <DateTime at={claim.due_at} />
    </span>
  ) : (
    <Countdown at={claim.due_at} prefix="due in " />
  )
}
