import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Tagged } from '../api/client.ts'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { Dialog, SubmitActions, useUnsaved } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedSave } from '../components/use-guarded-save.ts'
import { isolate } from '../format/bidi.ts'
import { changeMetadata, type MetadataKind, readMetadata, type WithMetadata } from './metadata-api.ts'
import { MetadataEditor } from './metadata-editor.tsx'
import {
  changesBetween,
  type KeyChanges,
  METADATA_HELP,
  metadataIn,
  rowsOf,
  valuesAt,
} from './metadata-rows.ts'

interface EditMetadataProps {
  kind: MetadataKind
  /** An id, or a candidate's alias. */
  name: string
  record: Tagged<WithMetadata>
  onClose: () => void
}

export function EditMetadataDialog({ open, ...props }: EditMetadataProps & { open: boolean }) {
  return (
    <Dialog
      open={open}
      onOpenChange={props.onClose}
      title="Edit metadata"
      description={METADATA_HELP}
      className="w-[min(40rem,calc(100vw-2rem))]"
    >
      <EditMetadataForm {...props} />
    </Dialog>
  )
}

function EditMetadataForm({ kind, name, record, onClose }: EditMetadataProps) {
  // The record when the form was opened. The page may refetch it.
  const [base] = useState(record)
  const [rows, setRows] = useState(() => rowsOf(base.metadata))
  const [isChecked, setChecked] = useState(false)
  const saving = useSaveMetadata(kind, name, base, onClose)
  const metadata = metadataIn(rows)
  const changes = metadata && changesBetween(base.metadata, metadata)
  const isUnchanged = changes !== null && Object.keys(changes).length === 0
  useUnsaved(!isUnchanged)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (isUnchanged) onClose()
    else if (changes) saving.save(changes, base)
  }
  return (
    <>
      <Form onSubmit={submit} className="grid gap-4">
        <MetadataEditor rows={rows} onChange={setRows} isChecked={isChecked} />
        <FormError error={saving.error} />
        <SubmitActions action="Save" pending={saving.isPending} />
      </Form>
      <ConflictDialog kind="metadata" saving={saving} texts={textsOf(saving.conflict?.mine ?? {})} />
    </>
  )
}

/** Saves only the changed keys, so that changes of other keys do not conflict. */
function useSaveMetadata(
  kind: MetadataKind,
  name: string,
  opened: Tagged<WithMetadata>,
  onClose: () => void,
) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useGuardedSave<KeyChanges, WithMetadata>({
    read: () => readMetadata(kind, name),
    save: (changes, base) => changeMetadata(kind, name, base ?? opened, changes),
    valuesOf: ({ metadata }, changes) => valuesAt(metadata, Object.keys(changes)),
    onStored: async ({ metadata, etag }, by) => {
      const queryKey = [kind, 'one', name]
      queryClient.setQueryData<Tagged<WithMetadata>>(
        queryKey,
        (shown) => shown && { ...shown, metadata, ...(etag ? { etag } : {}) },
      )
      void queryClient.invalidateQueries({ queryKey: [kind, 'list'] })
      // A read in flight may have been answered before the change.
      await queryClient.invalidateQueries({ queryKey })
      if (by === 'me') toast('Metadata saved')
      onClose()
    },
  })
}

const textsOf = (changes: KeyChanges) =>
  Object.fromEntries(
    Object.keys(changes).map((key) => [isolate(key), (values: KeyChanges) => values[key] ?? '(none)']),
  )
