import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { Tagged } from '../api/client.ts'
import type { ClaimSchema } from '../api/records.ts'
import { useToast } from '../components/toast.tsx'
import { useGuardedSave } from '../components/use-guarded-save.ts'
import { type ContractDocument, documentOfContract, documentOfDraft } from '../contracts/contract-document.ts'
import { newDraft } from '../contracts/contract-draft.ts'
import { changedField } from './changed-field.ts'
import { beginHistory, type EditHistory, leaveField, record, redo, undo } from './edit-history.ts'
import { fromNamesDraft, toNamesDraft } from './schema-names-fields.tsx'
import { createSchema, NO_NAMES, readSchema, type SchemaNames, updateSchema } from './schemas-api.ts'

/** The edited contract, its undo history and its saving. `names` is only used for a new schema. */
export function useSchemaDocument(schema: Tagged<ClaimSchema> | null) {
  // The version that the edits are based on. The page may have read a later one.
  const [base, setBase] = useState(schema)
  const [seen, setSeen] = useState(schema?.etag)
  const [stored, setStored] = useState(() =>
    schema ? documentOfContract(schema.contract) : documentOfDraft(newDraft()),
  )
  const [history, setHistory] = useState(() => beginHistory(stored))
  const document = history.present
  const [names, setNames] = useState(() => toNamesDraft(NO_NAMES))
  const isChanged = document.json !== stored.json || names.name !== '' || names.description !== ''
  const keep = (kept: Tagged<ClaimSchema>): ContractDocument => {
    const keptDocument = documentOfContract(kept.contract)
    setBase(kept)
    setStored(keptDocument)
    return keptDocument
  }
  const saving = useSaveSchema(schema?.id ?? null, fromNamesDraft(names), (kept, by) => {
    const keptDocument = keep(kept)
    if (by === 'others') setHistory(beginHistory(keptDocument))
  })
  if (schema && schema.etag !== seen) {
    setSeen(schema.etag)
    // Without edits, the form follows the stored schema.
    if (schema.etag !== base?.etag && !isChanged && !saving.isPending) setHistory(beginHistory(keep(schema)))
  }
  /** @param typedIn the text field that was typed into; null for any other edit */
  const edit = (changed: ContractDocument, typedIn: string | null = null) => {
    setHistory((before) => record(before, changed, typedIn))
    if (saving.error) saving.reset()
  }
  /** Returns the field that has changed, or null if there is nothing to undo or redo. */
  const go = (direction: 'undo' | 'redo'): string | null => {
    const moved = (direction === 'undo' ? undo : redo)(leave(history))
    if (!moved) return null
    flushSync(() => setHistory(moved))
    if (saving.error) saving.reset()
    return changedField(document, moved.present)
  }
  const save = () => {
    if (!document.contract) return
    // The JSON becomes the sent contract. The form keeps the typed texts and the focus.
    const present = { ...documentOfContract(document.contract), draft: document.draft }
    setHistory((before) => ({ ...leave(before), present }))
    saving.save(document.contract, base)
  }
  const discard = () => {
    edit(stored)
    setNames(toNamesDraft(NO_NAMES))
  }
  return {
    document,
    isChanged,
    edit,
    go,
    leaveField: () => setHistory(leave),
    past: history.past.length,
    future: history.future.length,
    names,
    setNames,
    discard,
    save,
    saving,
  }
}

const leave = (history: EditHistory<ContractDocument>) =>
  leaveField(history, (one, other) => one.json === other.json)

/** Saves the contract of a schema, or creates a schema and opens its page.
 * @param names name and description of a new schema
 */
function useSaveSchema(
  id: string | null,
  names: SchemaNames,
  onStored: (schema: Tagged<ClaimSchema>, by: 'me' | 'others') => void,
) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  return useGuardedSave<Contract, ClaimSchema>({
    read: () => readSchema(id ?? ''),
    save: (contract, base) => (base ? updateSchema(base, { contract }) : createSchema(contract, names)),
    valuesOf: ({ contract }) => contract,
    onStored: async (schema, by) => {
      onStored(schema, by)
      queryClient.setQueryData(['schemas', 'one', schema.id], schema)
      void queryClient.invalidateQueries({ queryKey: ['schemas', 'list'] })
      if (by === 'me') toast(id ? 'Schema saved' : 'Schema created')
      if (!id) await navigate({ to: '/schemas/$id', params: { id: schema.id }, ignoreBlocker: true })
    },
  })
}
