import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WebhookEndpoint } from '../api/records.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { DateTime } from '../components/time.tsx'
import { useCustomerNames } from '../customers/customer-names.ts'
import { DEFAULT_TYPES_TEXT, typeInWords } from '../notifications/notification-words.ts'

/** The settings of an endpoint and its last delivery. */
export function EndpointSettings({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, types, customer_id, created_at, last_delivery } = endpoint
  const nameOfCustomer = useCustomerNames()
  return (
    <Card aria-label="Details">
      <CardHeader title="Details" />
      <CardBody>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
          <Fact name="Types">{types === null ? DEFAULT_TYPES_TEXT : types.map(typeInWords).join(', ')}</Fact>
          <Fact name="Customer">
            {customer_id === null ? (
              'all'
            ) : (
              <Link
                to="/customers/$id"
                params={{ id: customer_id }}
                className="break-all underline underline-offset-2"
              >
                <bdi>{nameOfCustomer(customer_id)}</bdi>
              </Link>
            )}
          </Fact>
          <Fact name="Created">
            <DateTime at={created_at} />
          </Fact>
          <Fact name="Id">
            <span className="font-mono text-xs break-all">{id}</span>
          </Fact>
          <Fact name="Last delivery">
            {last_delivery.number === 0 ? (
              'none yet'
            ) : (
              <>
                <span className="figures">#{last_delivery.number.toLocaleString('en')}</span>
                <span className="flex items-start gap-1">
                  <span className="min-w-0 font-mono text-xs break-all">{last_delivery.hash}</span>
                  <CopyButton text={last_delivery.hash} label="Copy hash" className="-my-2" />
                </span>
              </>
            )}
          </Fact>
        </dl>
        <p className="mt-3 text-xs text-pretty text-muted">
          A receiver with the same number and hash has missed nothing.
        </p>
      </CardBody>
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
)
