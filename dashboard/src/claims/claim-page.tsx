import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Archive } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Contract, conditionsOf } from '../../../src/core/contracts/contract.ts'
import { typeNotes } from '../../../src/core/contracts/hints/lookalike-types.ts'
import { ApiError, type Tagged } from '../api/client.ts'
import { POLL_MS } from '../api/query-client.ts'
import type { ClaimKind, Explanation, WithEvents } from '../api/records.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ErrorState, State } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { ConditionTree } from '../contracts/condition-tree.tsx'
import { ContractCard } from '../contracts/contract-card.tsx'
import { HintList } from '../contracts/contract-hints.tsx'
import { shortId } from '../format/short-id.ts'
import { MetadataCard } from '../metadata/metadata-card.tsx'
import { ClaimDeliveries } from '../webhooks/claim-deliveries.tsx'
import { ClaimFacts } from './claim-facts.tsx'
import { ClaimState } from './claim-state.tsx'
import { type AnyClaim, claimQuery, explanationQuery, nameOf } from './claims-api.ts'
import { CreateAnother } from './create-another.tsx'
import { type EventMarks, eventMarks } from './event-marks.ts'
import { ReviewCard } from './review-card.tsx'
import { SubmitEvent } from './submit-event.tsx'
import { anchorOf, Timeline } from './timeline.tsx'
import { WorkingTimeCard } from './working-time-card.tsx'

export function ClaimPage() {
  const { id } = getRouteApi('/shell/claims/$id').useParams()
  return <ClaimDetailPage key={id} kind="claims" name={id} />
}

export function CandidatePage() {
  const { alias } = getRouteApi('/shell/candidates/$alias').useParams()
  return <ClaimDetailPage key={alias} kind="candidates" name={alias} />
}

/** Events in a long log, which is refetched less often. */
const LONG_LOG_EVENTS = 1000

/** Refetches until the status is final. */
function pollOf(claim: WithEvents<AnyClaim> | undefined): number | false {
  if (!claim) return false
  const isTerminal = claim.status === 'CONFIRMED' || claim.status === 'FAILED'
  return isTerminal ? false : claim.events.length > LONG_LOG_EVENTS ? 5 * POLL_MS : POLL_MS / 2
}

function ClaimDetailPage({ kind, name }: { kind: ClaimKind; name: string }) {
  const { data, error, refetch } = useQuery({
    ...claimQuery(kind, name),
    refetchInterval: ({ state }) => pollOf(state.data),
  })
  const called = kind === 'candidates' ? name : data && 'id' in data ? data.reference : null
  if (isArchived(error)) return <Archived error={error} />
  if (error && !data) return <ErrorState error={error} retry={refetch} isPage />
  return (
    <>
      <PageHeader
        documentTitle={`${kind === 'claims' ? 'Claim' : 'Candidate'} ${called ?? shortId(name)}`}
        title={
          <span className="inline-flex max-w-full items-center gap-1">
            <span className="min-w-0">
              <span className="text-muted">{kind === 'claims' ? 'Claim ' : 'Candidate '}</span>
              <bdi className={called === null ? 'font-mono text-lg' : 'break-words'}>
                {called ?? shortId(name)}
              </bdi>
            </span>
            <CopyButton text={name} label={kind === 'claims' ? 'Copy id' : 'Copy alias'} />
          </span>
        }
        actions={data ? <CreateAnother kind={kind} claim={data} /> : null}
      />
      {data ? <ClaimDetails kind={kind} claim={data} /> : <ClaimSkeleton />}
    </>
  )
}

function ClaimDetails({ kind, claim }: { kind: ClaimKind; claim: Tagged<WithEvents<AnyClaim>> }) {
  const version = `${claim.status} ${claim.events.length}`
  const { data: explanation } = useQuery(explanationQuery(kind, nameOf(claim), version))
  const noteOf = useTypeNotes(claim.contract)
  const typeOf = new Map(claim.events.map(({ id, type }) => [id, type]))
  const marks = useMarks(explanation, claim.contract)
  const renderEvent = (id: string) => (
    <a href={`#${anchorOf(id)}`} className="underline underline-offset-2">
      <bdi>{typeOf.get(id) ?? 'event'}</bdi> <bdi>{shortId(id)}</bdi>
    </a>
  )
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="grid gap-5">
        <ClaimState claim={claim} isReversed={Boolean(explanation?.review?.reversed_by)} />
        <Card aria-label="Condition">
          <CardHeader title="Condition" description="What must have happened, and what has." />
          <CardBody>
            {explanation ? (
              <div className="grid gap-4">
                <ConditionTree condition={explanation.condition} renderEvent={renderEvent} />
                <HintList hints={explanation.hints ?? []} />
              </div>
            ) : (
              <Skeleton className="h-16" />
            )}
          </CardBody>
        </Card>
        {explanation?.clock?.working_time.length ? <WorkingTimeCard clock={explanation.clock} /> : null}
        {explanation?.review ? (
          <ReviewCard claim={claim} review={explanation.review} renderEvent={renderEvent} />
        ) : null}
        <Card aria-label="Timeline">
          <CardHeader title="Timeline" description="Newest first." />
          <CardBody>
            <Timeline
              openedAt={claim.created_at}
              events={claim.events}
              transitions={explanation?.transitions ?? []}
              marks={marks}
              noteOf={noteOf}
            />
          </CardBody>
        </Card>
        <ClaimDeliveries claim={claim} />
      </div>
      <div className="grid gap-5">
        <SubmitEvent kind={kind} claim={claim} />
        <ContractCard contract={claim.contract} />
        <ClaimFacts claim={claim} />
        <MetadataCard kind={kind} name={nameOf(claim)} record={claim} />
      </div>
    </div>
  )
}

/** The same object until the explanation's parts change: the query cache keeps unchanged parts. */
function useMarks(explanation: Explanation | undefined, contract: Contract): EventMarks {
  const { review, clock, late_events } = explanation ?? {}
  // biome-ignore lint/correctness/useExhaustiveDependencies: a claim's contract never changes
  return useMemo(
    () =>
      eventMarks(
        { ...(review && { review }), ...(clock && { clock }), ...(late_events && { late_events }) },
        contract,
      ),
    [review, clock, late_events],
  )
}

/** Computed once: a claim's contract never changes, but each refetch returns a new object. */
function useTypeNotes(contract: Contract): (type: string) => string | null {
  const [notes] = useState(() => typeNotes(...conditionsOf(contract)))
  return notes
}

const ClaimSkeleton = () => (
  <div role="status" aria-label="Loading" className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
    <div className="grid content-start gap-5">
      <Skeleton className="h-40 rounded-xl" />
      <Skeleton className="h-36 rounded-xl" />
      <Skeleton className="h-56 rounded-xl" />
    </div>
    <div className="grid content-start gap-5">
      <Skeleton className="h-64 rounded-xl" />
      <Skeleton className="h-56 rounded-xl" />
    </div>
  </div>
)

const isArchived = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'CLAIM_ARCHIVED'

/** The page of an archived claim or candidate. It is not shown as an error. */
const Archived = ({ error }: { error: ApiError }) => (
  <State icon={Archive} title="Archived" isPage>
    <p className="break-words">{error.message}</p>
    <p className="mt-2">
      It was resolved long ago. The archive keeps it with its contract and events. The operator of the service
      can restore it.
    </p>
  </State>
)
