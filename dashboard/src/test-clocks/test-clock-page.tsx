import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FastForward } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { POLL_MS } from '../api/query-client.ts'
import type { TestClock } from '../api/records.ts'
import { ClaimList } from '../claims/claim-list.tsx'
import { ClaimSection } from '../claims/claim-section.tsx'
import type { AnyClaim } from '../claims/claims-api.ts'
import { CreateClaimButton } from '../claims/create-claim-dialog.tsx'
import { Button, buttonVariants } from '../components/button.tsx'
import { Card, CardBody } from '../components/card.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Countdown, DateTime } from '../components/time.tsx'
import { useToast } from '../components/toast.tsx'
import { useLocalTime } from '../components/use-local-time.ts'
import { countText } from '../format/count-text.ts'
import { shortId } from '../format/short-id.ts'
import { overviewQuery } from '../overview/overview-api.ts'
import { StatusCounts } from '../overview/status-counts.tsx'
import { DeleteClockDialog } from './delete-clock-dialog.tsx'
import { advanceTestClock, testClockQuery } from './test-clocks-api.ts'

export function TestClockPage() {
  const { id } = getRouteApi('/shell/test-clocks/$id').useParams()
  const { data, error, refetch } = useQuery({ ...testClockQuery(id), refetchInterval: POLL_MS })
  if (error && !data) return <ErrorState error={error} retry={refetch} isPage />
  return data ? <ClockDetails key={id} clock={data} /> : <ClockSkeleton />
}

function ClockDetails({ clock }: { clock: TestClock }) {
  const { id, name } = clock
  const [isDeleting, setDeleting] = useState(false)
  const filters = { clock: id }
  return (
    <>
      <PageHeader
        documentTitle={name ?? `Test clock ${shortId(id)}`}
        title={
          <span className="inline-flex max-w-full items-center gap-1">
            <bdi className="min-w-0">{name ?? `Test clock ${shortId(id)}`}</bdi>
            <CopyButton text={id} label="Copy id" />
          </span>
        }
        description="Claims on this clock use its time instead of the real time."
        actions={
          <>
            <CreateClaimButton defaults={{ clock: id }} />
            <Link to="/" search={{ clock: id }} className={buttonVariants()}>
              Overview
            </Link>
            <Button onClick={() => setDeleting(true)}>Delete</Button>
          </>
        }
      />
      <div className="grid gap-5">
        <AdvanceCard clock={clock} />
        <ClockFigures clock={clock} />
        <ClaimSection
          kind="claims"
          filters={filters}
          emptyText="No claim is on this clock yet. Create one above, or set test_clock_id in the API."
        />
        <ClaimSection kind="candidates" filters={filters} emptyText="No candidate is on this clock." />
      </div>
      <DeleteClockDialog clock={clock} open={isDeleting} onOpenChange={setDeleting} />
    </>
  )
}

const DAYS = 30

function ClockFigures({ clock }: { clock: TestClock }) {
  const { data, error, refetch } = useQuery(overviewQuery({ days: DAYS, test_clock_id: clock.id }))
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  if (!data) return <Skeleton className="h-40 rounded-xl" />
  const ofClock = { clock: clock.id }
  const scope = { claims: ofClock, candidates: ofClock }
  return (
    <>
      <StatusCounts statuses={data.statuses} pendingOutcomes={data.pending_outcomes} scope={scope} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <ClaimList
          title="Due next"
          all={{ scope, filters: { sort: 'due' } }}
          claims={data.due_next as AnyClaim[]}
          now={clock.frozen_time}
          emptyText="No claim on this clock has a due time."
        />
        <ClaimList
          title="Recent activity"
          all={{ scope, filters: { sort: 'changed' } }}
          claims={data.recent as AnyClaim[]}
          now={clock.frozen_time}
          moment="since"
          emptyText="Nothing has happened on this clock yet."
        />
      </div>
    </>
  )
}

const ClockSkeleton = () => (
  <div role="status" aria-label="Loading" className="grid gap-5">
    <Skeleton className="h-12 w-64" />
    <Skeleton className="h-48 rounded-xl" />
    <Skeleton className="h-40 rounded-xl" />
  </div>
)

const MINUTE_MS = 60_000
const STEPS = [
  ['A minute', MINUTE_MS],
  ['An hour', 60 * MINUTE_MS],
  ['A day', 24 * 60 * MINUTE_MS],
] as const

/** The time of the clock, the controls to advance it, and the result of the last advance. */
function AdvanceCard({ clock }: { clock: TestClock }) {
  const advancing = useAdvance(clock)
  const { frozen_time, next_due_at } = clock
  const now = Date.parse(frozen_time)
  const advance = (ms: number) => advancing.mutate(new Date(ms).toISOString())
  // A claim changes at the first whole minute at or after its due time.
  const nextCheck = next_due_at
    ? Math.max(Math.ceil(Date.parse(next_due_at) / MINUTE_MS), Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
    : null
  return (
    <Card aria-label="Time">
      <CardBody className="grid grid-cols-1 gap-5 pt-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <dl className="grid content-start gap-3">
          <div>
            <dt className="text-xs text-muted">Clock time</dt>
            <dd className="figures text-xl font-semibold tracking-tight">
              <DateTime at={frozen_time} />
            </dd>
          </div>
          <div>
            <dt className="text-xs text-muted">Next due</dt>
            <dd>
              {next_due_at ? (
                <>
                  <DateTime at={next_due_at} />, <Countdown at={next_due_at} now={frozen_time} prefix="in " />
                </>
              ) : (
                'Nothing is due'
              )}
            </dd>
          </div>
        </dl>
        <div className="grid grid-cols-1 content-start gap-3">
          <fieldset className="min-w-0">
            <legend className="mb-1.5 text-[0.8125rem] font-medium">Advance by</legend>
            <div className="flex flex-wrap gap-2">
              {STEPS.map(([name, ms]) => (
                <Button key={name} pending={advancing.isPending} onClick={() => advance(now + ms)}>
                  {name}
                </Button>
              ))}
              <Button
                variant="primary"
                pending={advancing.isPending}
                disabled={nextCheck === null}
                onClick={() => nextCheck !== null && advance(nextCheck)}
              >
                <FastForward aria-hidden /> To the next due time
              </Button>
            </div>
          </fieldset>
          <ChosenTime
            key={frozen_time}
            frozenTime={frozen_time}
            pending={advancing.isPending}
            error={advancing.error}
            onAdvance={(time) => advancing.mutate(time)}
          />
        </div>
        {advancing.data ? <WhatMoved advance={advancing.data} /> : null}
      </CardBody>
    </Card>
  )
}

interface ChosenTimeProps {
  frozenTime: string
  pending: boolean
  error: unknown
  onAdvance: (time: string) => void
}

function ChosenTime({ frozenTime, pending, error, onAdvance }: ChosenTimeProps) {
  const { timeZone, toField, fromField } = useLocalTime()
  const [text, setText] = useState('')
  const refused = error instanceof ApiError ? error.details.find(({ path }) => path === 'frozen_time') : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const time = fromField(text)
    if (time) onAdvance(time)
  }
  return (
    <Form onSubmit={submit} className="grid min-w-0 grid-cols-1 gap-2">
      <Field label="To a chosen time" hint={`In ${timeZone}.`} error={refused?.message}>
        {(props) => (
          <span className="flex max-w-sm gap-2 max-sm:flex-wrap">
            <Input
              {...props}
              type="datetime-local"
              required
              min={toField(frozenTime)}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
            <Button type="submit" pending={pending}>
              Advance
            </Button>
          </span>
        )}
      </Field>
      <FormError error={error} shownPaths={['frozen_time']} />
    </Form>
  )
}

function WhatMoved({ advance: { from, to, transitions, moved } }: { advance: Advance }) {
  return (
    <div role="status" className="grid gap-3 lg:col-span-2">
      <p className="rounded-lg bg-accent-soft px-3.5 py-2.5 text-accent">
        <strong>{transitions === 0 ? 'No transitions' : countText(transitions, 'transitions')}</strong> from{' '}
        <DateTime at={from} /> to <DateTime at={to} />.
      </p>
      {moved.length > 0 ? (
        <ClaimList title="Changed claims" claims={moved} now={to} moment="since" emptyText="" />
      ) : null}
    </div>
  )
}

/** The result of an advance. */
interface Advance {
  from: string
  to: string
  transitions: number
  /** At most the latest ten changed claims, as of the advance. */
  moved: AnyClaim[]
}

function useAdvance({ id, frozen_time: from }: TestClock) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: async (frozenTime: string): Promise<Advance> => {
      const { transitions, ...clock } = await advanceTestClock(id, frozenTime)
      queryClient.setQueryData(['test-clocks', 'one', id], clock)
      const { recent } = await queryClient.fetchQuery({
        ...overviewQuery({ days: 1, test_clock_id: id }),
        staleTime: 0,
      })
      const isMoved = ({ status, status_since }: AnyClaim) =>
        status !== 'OPEN' && status_since > from && status_since <= clock.frozen_time
      return { from, to: clock.frozen_time, transitions, moved: (recent as AnyClaim[]).filter(isMoved) }
    },
    onSuccess: ({ transitions }) => {
      toast(
        transitions === 0
          ? 'Advanced: no transitions'
          : `Advanced: ${transitions} ${transitions === 1 ? 'transition' : 'transitions'}`,
      )
      for (const key of ['test-clocks', 'overview', 'claims', 'candidates'])
        void queryClient.invalidateQueries({ queryKey: [key] })
    },
  })
}
