import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { ClaimSchema } from '../api/records.ts'
import { ClaimSection } from '../claims/claim-section.tsx'
import { CreateClaimButton } from '../claims/create-claim-dialog.tsx'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { RelativeTime } from '../components/time.tsx'
import { shortId } from '../format/short-id.ts'
import { DeleteSchemaDialog } from './delete-schema-dialog.tsx'
import { DuplicateButton } from './duplicate-button.tsx'
import { RenameSchemaDialog } from './rename-schema-dialog.tsx'
import { SchemaEditor } from './schema-editor.tsx'
import { schemaQuery } from './schemas-api.ts'

export function SchemaPage() {
  const { id } = getRouteApi('/shell/schemas/$id').useParams()
  return id === 'new' ? <NewSchema /> : <StoredSchema key={id} id={id} />
}

function NewSchema() {
  return (
    <>
      <PageHeader
        title="New schema"
        description="A contract template for claims. Edit the form or the JSON: both stay in sync."
      />
      <SchemaEditor schema={null} />
    </>
  )
}

function StoredSchema({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(schemaQuery(id))
  const [isDeleting, setDeleting] = useState(false)
  const [isRenaming, setRenaming] = useState(false)
  if (error && !data) return <ErrorState error={error} retry={refetch} isPage />
  return (
    <>
      <PageHeader
        documentTitle={data?.name ?? `Schema ${shortId(id)}`}
        title={<Title id={id} name={data?.name ?? null} />}
        description={data ? <Changes schema={data} /> : ' '}
        actions={
          data ? (
            <>
              <CreateClaimButton defaults={{ schemaId: id }} />
              <Button onClick={() => setRenaming(true)}>
                <Pencil aria-hidden /> {data.name === null ? 'Name' : 'Rename'}
              </Button>
              <DuplicateButton schema={data} />
              <Button onClick={() => setDeleting(true)}>Delete</Button>
            </>
          ) : null
        }
      />
      {data ? (
        <>
          <SchemaEditor schema={data} />
          <div className="mt-5 grid gap-5">
            <ClaimSection
              kind="claims"
              filters={{ schema: id }}
              emptyText="No claim was created from this schema."
            />
            <ClaimSection
              kind="candidates"
              filters={{ schema: id }}
              emptyText="No candidate was created from this schema."
            />
          </div>
          <DeleteSchemaDialog schema={data} open={isDeleting} onClose={() => setDeleting(false)} />
          <RenameSchemaDialog schema={data} open={isRenaming} onOpenChange={setRenaming} />
        </>
      ) : (
        <div role="status" aria-label="Loading" className="grid gap-5 lg:grid-cols-2">
          <Skeleton className="h-[32rem] rounded-xl" />
          <Skeleton className="h-[32rem] rounded-xl" />
        </div>
      )}
    </>
  )
}

function Title({ id, name }: { id: string; name: string | null }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      {name === null ? (
        <span>
          <span className="text-muted">Schema </span>
          <span className="font-mono text-lg">{shortId(id)}</span>
        </span>
      ) : (
        <bdi className="min-w-0">{name}</bdi>
      )}
      <CopyButton text={id} label="Copy id" />
    </span>
  )
}

function Changes({ schema: { description, created_at, updated_at } }: { schema: ClaimSchema }) {
  return (
    <>
      {description === null ? null : (
        <p className="mb-1 whitespace-pre-line text-ink">
          <bdi>{description}</bdi>
        </p>
      )}
      Created <RelativeTime at={created_at} />
      {updated_at === created_at ? null : (
        <>
          , changed <RelativeTime at={updated_at} />
        </>
      )}
      . Changes apply only to claims created afterwards.
    </>
  )
}
