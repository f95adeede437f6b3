import { type FormEvent, useRef, useState } from 'react'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import { ApiError, errorsByPath, type Tagged } from '../api/client.ts'
import type { ClaimSchema } from '../api/records.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { Form } from '../components/form.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import type { GuardedSaving } from '../components/use-guarded-save.ts'
import { documentOfContract, documentOfDraft, withJson } from '../contracts/contract-document.ts'
import type { ContractDraft } from '../contracts/contract-draft.ts'
import { ContractHints } from '../contracts/contract-hints.tsx'
import { ContractInWords } from '../contracts/contract-in-words.tsx'
import { RemindersField } from '../contracts/reminders-field.tsx'
import { LiveTrial } from '../simulation/live-trial.tsx'
import { ContractForm } from './contract-form.tsx'
import { ContractJson } from './contract-json.tsx'
import { focusField, focusPath } from './focus-field.ts'
import { SaveBar } from './save-bar.tsx'
import { SchemaHistory } from './schema-history.tsx'
import { SchemaNamesFields } from './schema-names-fields.tsx'
import { TERMS_TEXTS } from './schema-texts.ts'
import type { SchemaTerms } from './schemas-api.ts'
import { useSchemaDocument } from './use-schema-document.ts'
import { useUndoKeys } from './use-undo-keys.ts'

/** Edits a contract as a form and as JSON, which stay in sync, and the reminders. Below are the trial and the history. */
export function SchemaEditor({ schema }: { schema: Tagged<ClaimSchema> | null }) {
  const edited = useSchemaDocument(schema)
  const { document, isChanged, edit, names, setNames, reminderTexts, setReminderTexts, saving } = edited
  const [isChecked, setChecked] = useState(false)
  const issues = [...document.issues, ...(saving.error instanceof ApiError ? saving.error.details : [])]
  const setDraft = (draft: ContractDraft, typedField: string | null) =>
    edit(documentOfDraft(draft), typedField)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    edited.save()
  }
  const form = useRef<HTMLFieldSetElement>(null)
  const take = (contract: Contract) => {
    edit(documentOfContract(contract))
    form.current?.scrollIntoView()
    form.current?.focus({ preventScroll: true })
  }
  useUndoKeys((direction) => {
    const field = edited.go(direction)
    if (field) focusField(field)
  })
  const isLost = isChanged && !saving.isPending
  return (
    <>
      <Form
        onSubmit={submit}
        onBlur={edited.leaveField}
        noValidate
        className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
      >
        <div className="grid min-w-0 gap-5">
          <ContractForm
            form={form}
            document={document}
            onChange={setDraft}
            issues={issues}
            isChecked={isChecked}
          >
            {schema === null ? (
              <Card aria-label="About this schema" className="mb-5" data-undo="own">
                <CardHeader title="About this schema" />
                <CardBody className="grid gap-4">
                  <SchemaNamesFields draft={names} onChange={setNames} errors={errorsByPath(saving.error)} />
                </CardBody>
              </Card>
            ) : null}
          </ContractForm>
          <Card aria-label="Reminders">
            <CardHeader
              title="Reminders"
              description="Not part of the contract. Claims of this schema have them, unless they are created with others."
            />
            <CardBody>
              <RemindersField texts={reminderTexts} onChange={setReminderTexts} isTitled />
            </CardBody>
          </Card>
        </div>
        <div className="grid gap-5">
          <ContractJson
            document={document}
            issues={issues}
            onChange={(json) => {
              edit(withJson(document, json), 'json')
              // Fields show their errors only after blur, and no field was visited.
              setChecked(true)
            }}
            onReset={() => edit(documentOfDraft(document.draft))}
          />
          <Card aria-label="In words">
            <CardHeader title="In words" />
            <CardBody className="grid gap-3">
              {document.contract ? (
                <>
                  <ContractInWords contract={document.contract} />
                  <ContractHints
                    contract={document.contract}
                    onShow={(path) => focusPath(document.draft, path)}
                  />
                </>
              ) : (
                <p className="text-muted">The contract appears here in words once it is complete.</p>
              )}
            </CardBody>
          </Card>
        </div>
        <SaveBar isNew={schema === null} edited={edited} isChecked={isChecked} form={form} />
      </Form>
      <LiveTrial contract={document.contract} />
      {schema ? <SchemaHistory schema={schema} isEdited={isChanged} onTake={take} /> : null}
      <LeaveGuard isNeeded={isLost} title="Leave without saving?">
        Your changes will be lost.
      </LeaveGuard>
      <SchemaConflict saving={saving} />
    </>
  )
}

/** The conflict dialog of the contract and the reminders. */
const SchemaConflict = ({ saving }: { saving: GuardedSaving<SchemaTerms> }) => (
  <ConflictDialog kind="schema" saving={saving} texts={TERMS_TEXTS} />
)
