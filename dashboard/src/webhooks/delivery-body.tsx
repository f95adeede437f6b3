import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WebhookDelivery } from '../api/records.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { legibleJson } from '../format/bidi.ts'

/** The body of a delivery and the hashes that link it to the previous delivery. */
export function DeliveryBody({ delivery }: { delivery: WebhookDelivery & { body: string } }) {
  const { body, hash, previous_hash, notification_id, type, claim_id } = delivery
  return (
    <div className="grid gap-2">
      <h3 className="text-[0.8125rem] font-medium">Body</h3>
      <CodeBlock text={legibleJson(formatted(body))} original={body} label="body" wrap />
      <dl className="grid gap-x-4 text-xs sm:grid-cols-[auto_minmax(0,1fr)]">
        {claim_id && type.startsWith('claim.') ? (
          <Fact name="Claim">
            <Link to="/claims/$id" params={{ id: claim_id }} className="underline underline-offset-2">
              {claim_id}
            </Link>
          </Fact>
        ) : null}
        <Fact name="Notification">{notification_id}</Fact>
        <Fact name="SHA-256 of the body">{hash}</Fact>
        <Fact name="SHA-256 of the previous body">{previous_hash}</Fact>
      </dl>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="font-mono break-all">{children}</dd>
  </>
)

function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
