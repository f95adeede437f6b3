import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpenCheck, Plus } from 'lucide-react'
import { Fragment } from 'react'
import { decisiveEventTypes } from '../../../src/core/contracts/contract.ts'
import { conditionInWords, durationInWords } from '../../../src/core/contracts/contract-in-words.ts'
import type { ClaimSchema } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { BidiText } from '../components/bidi-text.tsx'
import { buttonVariants } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { Money } from '../components/money.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { RelativeTime } from '../components/time.tsx'
import { shortId } from '../format/short-id.ts'
import { schemasQuery } from './schemas-api.ts'

export function SchemasPage() {
  const { data, error, refetch } = useQuery(schemasQuery)
  const createLink = (
    <Link to="/schemas/$id" params={{ id: 'new' }} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden /> New schema
    </Link>
  )
  return (
    <>
      <PageHeader
        title="Schemas"
        description="Contract templates for claims. A claim keeps the contract that it was created with."
        actions={createLink}
      />
      <Card aria-label="Schemas">
        {data && data.length > 0 ? (
          <ul className="divide-y">
            {data.toReversed().map((schema) => (
              <SchemaRow key={schema.id} schema={schema} />
            ))}
          </ul>
        ) : data ? (
          <EmptyState icon={BookOpenCheck} title="No schemas yet" actions={createLink}>
            A schema holds the terms that many claims share: what must happen, by when, and the price. Create
            one here and try it with events before you use it.
          </EmptyState>
        ) : error ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <SkeletonRows rows={4} />
        )}
      </Card>
    </>
  )
}

/** The name of a schema, or the events that its condition asks for. */
function SchemaTitle({ schema: { name, contract } }: { schema: ClaimSchema }) {
  if (name !== null) return <bdi>{name}</bdi>
  const types = decisiveEventTypes(contract)
  return (
    <>
      {types.length === 0 ? 'No event' : null}
      {types.slice(0, 4).map((type, i) => (
        <Fragment key={type}>
          {i > 0 ? ', ' : null}
          <bdi>{type}</bdi>
        </Fragment>
      ))}
      {types.length > 4 ? ` and ${types.length - 4} more` : ''}
    </>
  )
}

function SchemaRow({ schema }: { schema: ClaimSchema }) {
  const { id, description, contract, updated_at } = schema
  return (
    <li className="relative flex flex-wrap items-start gap-x-6 gap-y-1.5 px-5 py-4 hover:bg-sunken/60 has-focus-visible:bg-sunken/60">
      <div className="min-w-0 flex-1 basis-80">
        <Link
          to="/schemas/$id"
          params={{ id }}
          className="font-medium wrap-anywhere underline-offset-4 after:absolute after:inset-0 hover:underline"
        >
          <SchemaTitle schema={schema} />
        </Link>
        <span className="ml-2 font-mono text-xs text-muted">{shortId(id)}</span>
        {description === null ? null : (
          <p className="line-clamp-2 text-pretty break-words">
            <bdi>{description}</bdi>
          </p>
        )}
        <p className="line-clamp-2 text-pretty break-words text-muted">
          Confirmed once <BidiText text={conditionInWords(contract.fulfillment_condition)} />.
        </p>
        <p className="mt-1.5 flex flex-wrap gap-1.5">
          <Badge>within {durationInWords(contract.activity_window)}</Badge>
          <Badge>
            {contract.review_window === 0
              ? 'no review'
              : `review of ${durationInWords(contract.review_window)}`}
          </Badge>
          <Badge>otherwise {contract.timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'}</Badge>
        </p>
      </div>
      <div className="flex items-baseline gap-x-3 sm:grid sm:justify-items-end">
        <span className="text-base font-semibold">
          <Money amount={contract.price} />
        </span>
        <span className="text-xs text-muted">
          changed <RelativeTime at={updated_at} />
        </span>
      </div>
    </li>
  )
}
