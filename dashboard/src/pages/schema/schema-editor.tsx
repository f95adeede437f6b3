import { type FormEvent, useRef, useState } from 'react'
import type { Contract } from '../../../../src/domain/contract/contract.ts'
import { ApiError, errorsByPath, type Tagged } from '../../api/client.ts'
import type { ClaimSchema } from '../../api/records.ts'
import { ContractHints } from '../../components/contract-hints.tsx'
import { ContractInWords } from '../../components/contract-in-words.tsx'
import { LeaveGuard } from '../../components/leave-guard.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card, CardBody, CardHeader } from '../../components/ui/card.tsx'
import { Form } from '../../components/ui/form.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { ConditionBuilder } from '../../condition-builder/condition-builder.tsx'
import { ofContract, ofDraft, withJson } from '../../condition-builder/contract-document.ts'
import type { ContractDraft } from '../../condition-builder/contract-draft.ts'
import { ContractJson } from './contract-json.tsx'
import { ContractTerms } from './contract-terms.tsx'
import { focusPlace } from './focus-place.ts'
import { SchemaHistory } from './history/schema-history.tsx'
import { LiveTrial } from './live-trial.tsx'
import { SchemaConflict } from './schema-conflict.tsx'
import { SchemaNamesFields } from './schema-names-fields.tsx'
import { useSchemaDocument } from './use-schema-document.ts'

/** A contract as a form and as JSON, always in step; below it what it makes of events. */
export function SchemaEditor({ schema }: { schema: Tagged<ClaimSchema> | null }) {
  const { document, isChanged, edit, names, setNames, discard, save, saving } = useSchemaDocument(schema)
  const [isChecked, setChecked] = useState(false)
  const issues = [...document.issues, ...(saving.error instanceof ApiError ? saving.error.details : [])]
  const setDraft = (draft: ContractDraft) => edit(ofDraft(draft))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    save()
  }
  const form = useRef<HTMLFieldSetElement>(null)
  const take = (contract: Contract) => {
    edit(ofContract(contract))
    form.current?.scrollIntoView()
    form.current?.focus({ preventScroll: true })
  }
  const isLost = isChanged && !saving.isPending
  return (
    <>
      <Form
        onSubmit={submit}
        noValidate
        className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
      >
        <fieldset
          ref={form}
          tabIndex={-1}
          disabled={document.problem !== null}
          className="min-w-0 scroll-mt-20"
        >
          <legend className="sr-only">Contract as a form</legend>
          {schema === null ? (
            <Card aria-label="About it" className="mb-5">
              <CardHeader title="About it" />
              <CardBody className="grid gap-4">
                <SchemaNamesFields draft={names} onChange={setNames} errors={errorsByPath(saving.error)} />
              </CardBody>
            </Card>
          ) : null}
          <Card aria-label="Terms">
            <CardHeader title="Terms" />
            <CardBody>
              <ContractTerms
                draft={document.draft}
                onChange={setDraft}
                issues={issues}
                isChecked={isChecked}
              />
            </CardBody>
          </Card>
          <Card aria-label="Fulfillment condition" className="mt-5">
            <CardHeader
              title="Fulfillment condition"
              description="Judged anew with each event, from all events so far. Their order does not matter."
            />
            <CardBody className="max-sm:px-3">
              <ConditionBuilder
                root={document.draft.condition}
                onChange={(condition) => setDraft({ ...document.draft, condition })}
                issues={issues}
                isChecked={isChecked}
              />
            </CardBody>
          </Card>
        </fieldset>
        <div className="grid gap-5">
          <ContractJson
            document={document}
            issues={issues}
            onChange={(json) => {
              edit(withJson(document, json))
              // No field was passed through that could have said it by itself.
              setChecked(true)
            }}
            onReset={() => edit(ofDraft(document.draft))}
          />
          <Card aria-label="In words">
            <CardHeader title="In words" />
            <CardBody className="grid gap-3">
              {document.contract ? (
                <>
                  <ContractInWords contract={document.contract} />
                  <ContractHints
                    contract={document.contract}
                    onShow={(path) => focusPlace(document.draft.condition, path)}
                  />
                </>
              ) : (
                <p className="text-muted">Once the contract is complete, it is told here in sentences.</p>
              )}
            </CardBody>
          </Card>
        </div>
        {schema === null || isChanged || saving.error ? (
          <div className="sticky bottom-0 z-10 -mx-4 grid gap-2 border-t bg-canvas/95 px-4 py-3 sm:mx-0 sm:rounded-xl sm:border sm:bg-surface/95 xl:col-span-2">
            <FormError error={saving.error} />
            <SaveBar
              isNew={schema === null}
              isChanged={isChanged}
              isPending={saving.isPending}
              hasIssues={isChecked && document.contract === null}
              onDiscard={discard}
            />
          </div>
        ) : null}
      </Form>
      <LiveTrial contract={document.contract} />
      {schema ? <SchemaHistory schema={schema} isEdited={isChanged} onTake={take} /> : null}
      <LeaveGuard isNeeded={isLost} title="Leave without saving?">
        What you have changed here will be lost.
      </LeaveGuard>
      <SchemaConflict saving={saving} />
    </>
  )
}

interface SaveBarProps {
  isNew: boolean
  isChanged: boolean
  isPending: boolean
  hasIssues: boolean
  onDiscard: () => void
}

function SaveBar({ isNew, isChanged, isPending, hasIssues, onDiscard }: SaveBarProps) {
  const state = hasIssues
    ? 'Something is missing or wrong: see the marked fields.'
    : isChanged
      ? 'Not saved yet.'
      : 'Nothing entered yet.'
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <span role="status" className="mr-auto text-[0.8125rem] text-muted">
        {state}
      </span>
      {isChanged ? <Button onClick={onDiscard}>Discard changes</Button> : null}
      <Button type="submit" variant="primary" pending={isPending} disabled={!isNew && !isChanged}>
        {isNew ? 'Create schema' : 'Save changes'}
      </Button>
    </div>
  )
}
