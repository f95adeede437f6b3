import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { Tagged } from '../api/client.ts'
import type { ClaimSchema } from '../api/records.ts'
import { useToast } from '../components/toast.tsx'
import { useGuardedSave } from '../components/use-guarded-save.ts'
import { type ContractDocument, documentOfContract, documentOfDraft } from '../contracts/contract-document.ts'
import { newDraft } from '../contracts/contract-draft.ts'
import { percentagesOf, readReminders } from '../contracts/reminder-percentages.ts'
import { changedField } from './changed-field.ts'
import { beginHistory, type EditHistory, leaveField, record, redo, undo } from './edit-history.ts'
import { fromNamesDraft, toNamesDraft } from './schema-names-fields.tsx'
import {
  createSchema,
  NO_NAMES,
  readSchema,
  type SchemaNames,
  type SchemaTerms,
  updateSchema,
} from './schemas-api.ts'

/** The edited contract with its undo history, the edited reminders, and saving both. `names` is only used for a new schema. */
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
  /** The typed percentages. */
  const [reminderTexts, setReminderTexts] = useState(() => percentagesOf(base?.reminders))
  const { reminders } = readReminders(reminderTexts)
  const isChanged =
    document.json !== stored.json ||
    names.name !== '' ||
    names.description !== '' ||
    differ(reminders, base?.reminders)
  const keep = (kept: Tagged<ClaimSchema>): ContractDocument => {
    const keptDocument = documentOfContract(kept.contract)
    setBase(kept)
    setStored(keptDocument)
    return keptDocument
  }
  const showStored = (kept: Tagged<ClaimSchema>) => {
    setHistory(beginHistory(keep(kept)))
    setReminderTexts(percentagesOf(kept.reminders))
  }
  const saving = useSaveSchema(schema?.id ?? null, fromNamesDraft(names), (kept, by) => {
    if (by === 'others') showStored(kept)
    else keep(kept)
  })
  if (schema && schema.etag !== seen) {
    setSeen(schema.etag)
    // Without edits, the form follows the stored schema.
    if (schema.etag !== base?.etag && !isChanged && !saving.isPending) showStored(schema)
  }
  /** @param typedField the text field that was typed into; null for any other edit */
  const edit = (changed: ContractDocument, typedField: string | null = null) => {
    setHistory((before) => record(before, changed, typedField))
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
    if (!document.contract || !reminders) return
    // The JSON becomes the sent contract. The form keeps the typed texts and the focus.
    const present = { ...documentOfContract(document.contract), draft: document.draft }
    setHistory((before) => ({ ...leave(before), present }))
    saving.save({ contract: document.contract, reminders }, base)
  }
  const discard = () => {
    if (document.json !== stored.json) edit(stored)
    else if (saving.error) saving.reset()
    setNames(toNamesDraft(NO_NAMES))
    setReminderTexts(percentagesOf(base?.reminders))
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
    /** Null if a typed percentage has a problem. */
    reminders,
    reminderTexts,
    setReminderTexts,
    discard,
    save,
    saving,
  }
}

const leave = (history: EditHistory<ContractDocument>) =>
  leaveField(history, (one, other) => one.json === other.json)

const differ = (reminders: readonly number[] | null, others: readonly number[] = []): boolean =>
  JSON.stringify(reminders) !== JSON.stringify(others)

/** The members to send. If only the reminders have changed, the contract is left out, so that no version is made (§2.16 rule 6). */
function changedTerms(base: ClaimSchema, { contract, reminders = [] }: SchemaTerms): Partial<SchemaTerms> {
  if (!differ(reminders, base.reminders)) return { contract }
  return JSON.stringify(contract) === JSON.stringify(base.contract) ? { reminders } : { contract, reminders }
}

/**
 * Saves the terms of a schema, or creates a schema and opens its page.
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
  return useGuardedSave<SchemaTerms, ClaimSchema>({
    read: () => readSchema(id ?? ''),
    save: (terms, base) =>
      base ? updateSchema(base, changedTerms(base, terms)) : createSchema(terms, names),
    valuesOf: ({ contract, reminders = [] }) => ({ contract, reminders }),
    onStored: async (schema, by) => {
      onStored(schema, by)
      queryClient.setQueryData(['schemas', 'one', schema.id], schema)
      void queryClient.invalidateQueries({ queryKey: ['schemas', 'list'] })
      if (by === 'me') toast(id ? 'Schema saved' : 'Schema created')
      if (!id) await navigate({ to: '/schemas/$id', params: { id: schema.id }, ignoreBlocker: true })
    },
  })
}
