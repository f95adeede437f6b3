import { useState } from 'react'
import type { Tagged } from '../../api/client.ts'
import type { ClaimSchema } from '../../api/records.ts'
import { NO_NAMES } from '../../api/schemas.ts'
import { type ContractDocument, ofContract, ofDraft } from '../../condition-builder/contract-document.ts'
import { newDraft } from '../../condition-builder/contract-draft.ts'
import { useSaveSchema } from './save-schema.ts'
import { fromNamesDraft, toNamesDraft } from './schema-names-fields.tsx'

/** What is edited of a schema, what that is a change of, and how it is saved. Names are those of one that is created. */
export function useSchemaDocument(schema: Tagged<ClaimSchema> | null) {
  // What is edited is a change of this, though the page may have read a later one.
  const [base, setBase] = useState(schema)
  const [seen, setSeen] = useState(schema?.etag)
  const [stored, setStored] = useState(() => (schema ? ofContract(schema.contract) : ofDraft(newDraft())))
  const [document, setDocument] = useState<ContractDocument>(stored)
  const [names, setNames] = useState(() => toNamesDraft(NO_NAMES))
  const isChanged = document.json !== stored.json || names.name !== '' || names.description !== ''
  const keep = (kept: Tagged<ClaimSchema>): ContractDocument => {
    const keptDocument = ofContract(kept.contract)
    setBase(kept)
    setStored(keptDocument)
    return keptDocument
  }
  const saving = useSaveSchema(schema?.id ?? null, fromNamesDraft(names), (kept, by) => {
    const keptDocument = keep(kept)
    if (by === 'others') setDocument(keptDocument)
  })
  if (schema && schema.etag !== seen) {
    setSeen(schema.etag)
    // Who has typed nothing goes on from what is there now.
    if (schema.etag !== base?.etag && !isChanged && !saving.isPending) setDocument(keep(schema))
  }
  const edit = (changed: ContractDocument) => {
    setDocument(changed)
    if (saving.error) saving.reset()
  }
  const save = () => {
    if (!document.contract) return
    setDocument(ofContract(document.contract))
    saving.save(document.contract, base)
  }
  const discard = () => {
    edit(stored)
    setNames(toNamesDraft(NO_NAMES))
  }
  return { document, isChanged, edit, names, setNames, discard, save, saving }
}
