import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TestClock } from '../api/records.ts'
import { buttonVariants } from '../components/button.tsx'
import { Card, CardHeader } from '../components/card.tsx'
import { DateTime } from '../components/time.tsx'
import { shortId } from '../format/short-id.ts'
import { overviewQuery } from '../overview/overview-api.ts'
import { testClocksQuery } from '../test-clocks/test-clocks-api.ts'
import { DemoButton } from './demo-button.tsx'
import { DemoInvitation } from './demo-invitation.tsx'

/** The number of newest clocks that are listed. */
const MAX_CLOCKS_SHOWN = 5

/** Shown if there are no live claims: lists test clocks, or offers demo data if there are none. */
export function NoLiveClaims() {
  const { data } = useQuery(testClocksQuery(undefined, MAX_CLOCKS_SHOWN))
  if (!data) return null
  return data.data.length > 0 ? <ClockOverviews clocks={data.data} /> : <DemoInvitation />
}

const ClockOverviews = ({ clocks }: { clocks: readonly TestClock[] }) => (
  <Card aria-label="On test clocks">
    <CardHeader
      title="No live claims yet"
      description="The figures below include live claims only. Each test clock has its own overview:"
      actions={
        <>
          <DemoButton />
          <Link to="/claims" className={buttonVariants()}>
            Claims
          </Link>
        </>
      }
    />
    <ul className="divide-y border-t">
      {clocks.map((clock) => (
        <ClockItem key={clock.id} clock={clock} />
      ))}
    </ul>
  </Card>
)

function ClockItem({ clock: { id, name, frozen_time } }: { clock: TestClock }) {
  const { data } = useQuery({
    ...overviewQuery({ days: 30, test_clock_id: id }),
    refetchInterval: false,
  })
  const counts = Object.entries(data?.statuses ?? {}).filter(([, { count }]) => count > 0)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 px-5 py-2.5">
      <Link to="/" search={{ clock: id }} className="min-w-0 font-medium underline-offset-4 hover:underline">
        <bdi>{name ?? `Clock ${shortId(id)}`}</bdi>
      </Link>
      <span className="text-xs text-muted">
        {data ? (
          <>
            {counts.map(([status, { count }]) => `${count.toLocaleString('en')} ${status}`).join(', ') ||
              'no claims'}
            {' · '}
          </>
        ) : null}
        at <DateTime at={frozen_time} />
      </span>
    </li>
  )
}
