import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { schemaQuery } from '../claim-schemas/schemas-api.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { DateTime } from '../components/time.tsx'
import { useCustomerNames } from '../customers/customer-names.ts'
import { shortId } from '../format/short-id.ts'
import type { AnyClaim } from './claims-api.ts'

const LINK = 'break-all underline underline-offset-2'

/** Customer, schema, clock and ids of a claim. */
export function ClaimFacts({ one }: { one: AnyClaim }) {
  return (
    <Card aria-label="Details">
      <CardHeader title="Details" />
      <CardBody>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 max-sm:[&_time]:whitespace-normal">
          <Fact name="Customer">
            <CustomerLink one={one} />
          </Fact>
          <Fact name="Schema">
            {one.schema_id ? (
              <SchemaLink id={one.schema_id} version={one.schema_version} />
            ) : (
              'none (custom contract)'
            )}
          </Fact>
          <Fact name="Time">
            {one.test_clock_id ? (
              <Link to="/test-clocks/$id" params={{ id: one.test_clock_id }} className={LINK}>
                Test clock {shortId(one.test_clock_id)}
              </Link>
            ) : (
              'live'
            )}
          </Fact>
          <Fact name="Created">
            <DateTime at={one.created_at} />
          </Fact>
          {'id' in one && one.reference !== null ? (
            <Fact name="Reference">
              <bdi className="break-words">{one.reference}</bdi>
            </Fact>
          ) : null}
          {'id' in one ? (
            <Fact name="Id">
              <span className="font-mono text-xs break-all">{one.id}</span>
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

function CustomerLink({ one }: { one: AnyClaim }) {
  const nameOf = useCustomerNames()
  if ('id' in one) {
    return (
      <Link to="/customers/$id" params={{ id: one.customer_id }} className={LINK}>
        <bdi>{nameOf(one.customer_id)}</bdi>
      </Link>
    )
  }
  return (
    <Link to="/candidates" search={{ customer: one.customer_uuid }} className={LINK}>
      <bdi>{one.customer_uuid}</bdi>
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
