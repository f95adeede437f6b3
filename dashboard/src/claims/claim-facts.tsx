import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { calendarQuery } from '../calendars/calendars-api.ts'
import { schemaQuery } from '../claim-schemas/schemas-api.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { DateTime } from '../components/time.tsx'
import { inPercent } from '../contracts/reminder-percentages.ts'
import { useCustomerNames } from '../customers/customer-names.ts'
import { shortId } from '../format/short-id.ts'
import type { AnyClaim } from './claims-api.ts'

const LINK = 'break-all underline underline-offset-2'

/** Customer, schema, clock, calendar, reminders and ids of a claim. */
export function ClaimFacts({ claim }: { claim: AnyClaim }) {
  return (
    <Card aria-label="Details">
      <CardHeader title="Details" />
      <CardBody>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 max-sm:[&_time]:whitespace-normal">
          <Fact name="Customer">
            <CustomerLink claim={claim} />
          </Fact>
          <Fact name="Schema">
            {claim.schema_id ? (
              <SchemaLink id={claim.schema_id} version={claim.schema_version} />
            ) : (
              'none (custom contract)'
            )}
          </Fact>
          <Fact name="Time">
            {claim.test_clock_id ? (
              <Link to="/test-clocks/$id" params={{ id: claim.test_clock_id }} className={LINK}>
                Test clock {shortId(claim.test_clock_id)}
              </Link>
            ) : (
              'live'
            )}
          </Fact>
          {claim.contract.clock?.calendar ? (
            <Fact name="Working time">
              <CalendarLink {...claim.contract.clock.calendar} />
            </Fact>
          ) : null}
          {claim.reminders ? (
            <Fact name="Reminders">at {inPercent(claim.reminders)} of the activity window</Fact>
          ) : null}
          <Fact name="Created">
            <DateTime at={claim.created_at} />
          </Fact>
          {'id' in claim && claim.reference !== null ? (
            <Fact name="Reference">
              <bdi className="break-words">{claim.reference}</bdi>
            </Fact>
          ) : null}
          {'id' in claim ? (
            <Fact name="Id">
              <span className="font-mono text-xs break-all">{claim.id}</span>
            </Fact>
          ) : null}
        </dl>
      </CardBody>
    </Card>
  )
}

/** A deleted schema is shown by its id. */
function SchemaLink({ id, version }: { id: string; version: number | null }) {
  const { data } = useQuery({ ...schemaQuery(id), retry: false })
  return (
    <>
      <Link to="/schemas/$id" params={{ id }} className={LINK}>
        {data?.name ? <bdi>{data.name}</bdi> : shortId(id)}
      </Link>
      {version === null ? null : (
        <>
          ,{' '}
          <Link to="/schemas/$id" params={{ id }} search={{ version }} className={LINK}>
            version {version.toLocaleString('en')}
          </Link>
          {data && data.version > version ? ' (changed since)' : null}
        </>
      )}
    </>
  )
}

function CalendarLink({ id, version }: { id: string; version?: number }) {
  const { data } = useQuery({ ...calendarQuery(id), retry: false })
  return (
    <>
      <Link to="/calendars/$id" params={{ id }} className={LINK}>
        {data ? <bdi>{data.name}</bdi> : shortId(id)}
      </Link>
      {version === undefined ? null : `, version ${version.toLocaleString('en')}`}
      {data && version !== undefined && data.version > version ? ' (changed since)' : null}
    </>
  )
}

function CustomerLink({ claim }: { claim: AnyClaim }) {
  const nameOf = useCustomerNames()
  if ('id' in claim) {
    return (
      <Link to="/customers/$id" params={{ id: claim.customer_id }} className={LINK}>
        <bdi>{nameOf(claim.customer_id)}</bdi>
      </Link>
    )
  }
  return (
    <Link to="/candidates" search={{ customer: claim.customer_uuid }} className={LINK}>
      <bdi>{claim.customer_uuid}</bdi>
    </Link>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}
