import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import { accountQuery } from '../api/account.ts'
import type { ClaimSchema, SchemaVersion } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card, CardHeader } from '../components/card.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { schemaVersionsQuery } from './schemas-api.ts'
import { VersionItem } from './version-item.tsx'

interface SchemaHistoryProps {
  schema: ClaimSchema
  /** Whether the form has unsaved changes. */
  isEdited: boolean
  /** Copies the contract into the form. */
  onTake: (contract: Contract) => void
}

const SHOWN_AT_FIRST = 5

/** The versions of a schema, newest first. The version in the URL is open. */
export function SchemaHistory({ schema, isEdited, onTake }: SchemaHistoryProps) {
  const { version: sought } = getRouteApi('/shell/schemas/$id').useSearch()
  const { data, error, refetch } = useQuery(schemaVersionsQuery(schema))
  return (
    <Card aria-label="History" className="mt-5">
      <CardHeader title="History" description="Newest first. The newest 100 versions are kept." />
      {data ? (
        <Versions versions={data} sought={sought} isEdited={isEdited} onTake={onTake} />
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <SkeletonRows rows={2} />
      )}
    </Card>
  )
}

interface VersionsProps extends Omit<SchemaHistoryProps, 'schema'> {
  versions: readonly SchemaVersion[]
  sought: number | undefined
}

function Versions({ versions, sought, isEdited, onTake }: VersionsProps) {
  const { data: account } = useQuery(accountQuery)
  const at = versions.findIndex(({ version }) => version === sought)
  const [isWhole, setWhole] = useState(false)
  /** The contract to restore, while the user is asked about unsaved changes. */
  const [asked, setAsked] = useState<Contract | null>(null)
  const shown = isWhole || at >= SHOWN_AT_FIRST ? versions : versions.slice(0, SHOWN_AT_FIRST)
  const left = versions.length - shown.length
  return (
    <>
      {sought !== undefined && at < 0 ? (
        <p role="status" className="px-5 pb-4 text-muted">
          Version {sought.toLocaleString('en')} is no longer stored. Claims created from it have their own
          copy of its contract.
        </p>
      ) : null}
      <ol reversed className="divide-y border-t">
        {shown.map((version, i) => (
          <VersionItem
            key={version.version}
            version={version}
            before={versions[i + 1] ?? null}
            isPresent={i === 0}
            isSought={version.version === sought}
            person={account?.name ?? account?.email ?? 'someone signed in'}
            onTake={() => (isEdited ? setAsked(version.contract) : onTake(version.contract))}
          />
        ))}
      </ol>
      {left > 0 ? (
        <div className="border-t px-5 py-3">
          <Button size="sm" onClick={() => setWhole(true)}>
            Show {left} older
          </Button>
        </div>
      ) : null}
      <ConfirmDialog
        open={asked !== null}
        onOpenChange={() => setAsked(null)}
        title="Discard your changes?"
        action="Discard"
        onConfirm={() => {
          if (asked) onTake(asked)
          setAsked(null)
        }}
      >
        The contract of that version replaces the unsaved contract in the form.
      </ConfirmDialog>
    </>
  )
}
