import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Clock, Plus } from 'lucide-react'
import { useState } from 'react'
import type { TestClock } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Pagination } from '../components/pagination.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { LinkRow, Table, Td, Th } from '../components/table.tsx'
import { Countdown, DateTime } from '../components/time.tsx'
import { usePages } from '../components/use-pages.ts'
import { DemoButton } from '../demo/demo-button.tsx'
import { shortId } from '../format/short-id.ts'
import { CreateClockDialog } from './create-clock-dialog.tsx'
import { testClocksQuery } from './test-clocks-api.ts'

export function TestClocksPage() {
  const { after } = getRouteApi('/shell/test-clocks').useSearch()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(testClocksQuery(after, 50))
  const [isCreating, setCreating] = useState(false)
  const pages = usePages(after, data?.next_cursor ?? null, (cursor, state) =>
    navigate({ to: '/test-clocks', search: cursor ? { after: cursor } : {}, state }),
  )
  const createButton = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden /> Create test clock
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Test clocks"
        description="A test clock stands still until you advance it, so you can test windows of weeks in seconds."
        actions={createButton}
      />
      <Card aria-label="Test clocks">
        {data && data.data.length > 0 ? (
          <ClockTable clocks={data.data} />
        ) : data ? (
          <EmptyState
            icon={Clock}
            title="No test clocks yet"
            actions={
              <>
                <DemoButton />
                {createButton}
              </>
            }
          >
            Claims created on a test clock use its time. When you advance the clock, they change as they would
            in real time. Live claims are not affected.
          </EmptyState>
        ) : error ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <SkeletonRows rows={4} />
        )}
        <Pagination {...pages} />
      </Card>
      <CreateClockDialog open={isCreating} onOpenChange={setCreating} />
    </>
  )
}

const ClockTable = ({ clocks }: { clocks: readonly TestClock[] }) => (
  <Table aria-label="Test clocks">
    <thead>
      <tr>
        <Th>Clock</Th>
        <Th>Clock time</Th>
        <Th className="max-sm:hidden">Next due</Th>
        <Th className="max-lg:hidden">Created</Th>
      </tr>
    </thead>
    <tbody>
      {clocks.map(({ id, name, frozen_time, next_due_at, created_at }) => (
        <LinkRow key={id}>
          <Td className="max-w-72">
            <Link
              to="/test-clocks/$id"
              params={{ id }}
              className="font-medium break-words underline-offset-4 hover:underline"
            >
              <bdi>{name ?? shortId(id)}</bdi>
            </Link>
          </Td>
          <Td className="max-sm:[&_time]:whitespace-normal">
            <DateTime at={frozen_time} />
          </Td>
          <Td className="text-muted max-sm:hidden">
            {next_due_at ? <Countdown at={next_due_at} now={frozen_time} prefix="in " /> : 'nothing is due'}
          </Td>
          <Td className="text-muted max-lg:hidden">
            <DateTime at={created_at} />
          </Td>
        </LinkRow>
      ))}
    </tbody>
  </Table>
)
