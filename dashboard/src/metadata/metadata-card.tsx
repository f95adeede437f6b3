import { Link } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { Fragment, useState } from 'react'
import type { Tagged } from '../api/client.ts'
import { filterBy } from '../api/metadata-filters.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { isolate } from '../format/bidi.ts'
import { EditMetadataDialog } from './edit-metadata-dialog.tsx'
import type { MetadataKind, WithMetadata } from './metadata-api.ts'
import { METADATA_HELP, pairsOf } from './metadata-rows.ts'
import { MetadataValue } from './metadata-value.tsx'

interface MetadataCardProps {
  kind: MetadataKind
  /** An id, or a candidate's alias. */
  name: string
  record: Tagged<WithMetadata>
}

/** The metadata of a claim, a candidate or a customer. */
export function MetadataCard({ kind, name, record }: MetadataCardProps) {
  const [isEditing, setEditing] = useState(false)
  const pairs = pairsOf(record.metadata)
  return (
    <Card aria-label="Metadata">
      <CardHeader
        title="Metadata"
        actions={
          <Button size="sm" onClick={() => setEditing(true)}>
            <Pencil aria-hidden /> Edit<span className="sr-only"> metadata</span>
          </Button>
        }
      />
      <CardBody>
        {pairs.length === 0 ? (
          <p className="text-pretty text-muted">{METADATA_HELP}</p>
        ) : (
          <dl className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)] gap-x-6 gap-y-1">
            {pairs.map(([key, value]) => (
              <Fragment key={key}>
                <dt className="pt-1 text-muted">
                  <bdi>{key}</bdi>
                </dt>
                <dd className="flex min-w-0 items-start gap-1">
                  <Link
                    to={`/${kind}`}
                    search={filterBy(key, value)}
                    title={`All ${kind} with this value`}
                    className="min-w-0 pt-1 underline decoration-line-strong underline-offset-2 hover:decoration-current"
                  >
                    <MetadataValue text={value} />
                  </Link>
                  <CopyButton text={value} label={`Copy ${isolate(key)}`} className="size-7" />
                </dd>
              </Fragment>
            ))}
          </dl>
        )}
      </CardBody>
      <EditMetadataDialog
        kind={kind}
        name={name}
        record={record}
        open={isEditing}
        onClose={() => setEditing(false)}
      />
    </Card>
  )
}
