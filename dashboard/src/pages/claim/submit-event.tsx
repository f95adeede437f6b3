import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { isReservedType, MAX_EVENTS } from '../../../../src/domain/claims/event.ts'
import { decisiveEventTypes } from '../../../../src/domain/contract/contract.ts'
import { isJsonObject, type JsonObject } from '../../../../src/domain/json.ts'
import { type AnyClaim, type ClaimKind, nameOf, submitEvent } from '../../api/claims.ts'
import { errorsByPath } from '../../api/client.ts'
import type { WithEvents } from '../../api/records.ts'
import { asSentence } from '../../as-sentence.ts'
import { Button } from '../../components/ui/button.tsx'
import { Card, CardBody, CardHeader } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Form } from '../../components/ui/form.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { Input } from '../../components/ui/input.tsx'
import { Textarea } from '../../components/ui/textarea.tsx'
import { useToast } from '../../components/ui/toast.tsx'
import { problemOfValue, readValue } from '../../condition-builder/value-text.ts'

interface SubmitEventProps {
  kind: ClaimKind
  one: AnyClaim
}

/** A form that submits an event, or why there is none. */
export function SubmitEvent({ kind, one }: SubmitEventProps & { one: WithEvents<AnyClaim> }) {
  const reason = refusalOf(one)
  return (
    <Card aria-label="Submit an event">
      <CardHeader title="Submit an event" description={reason ?? 'It is recorded for good.'} />
      {reason === null ? (
        <CardBody>
          <EventForm kind={kind} one={one} />
        </CardBody>
      ) : null}
    </Card>
  )
}

/** Only an OPEN one takes events (§3 rule 2), and only as many as a log holds (§8). */
function refusalOf({ status, events }: WithEvents<AnyClaim>): string | null {
  if (status !== 'OPEN') return `It is ${status}: only OPEN takes events.`
  const count = events.filter(({ system }) => !system).length
  return count >= MAX_EVENTS
    ? `Its log holds ${MAX_EVENTS.toLocaleString('en')} events, the most that a claim takes.`
    : null
}

function EventForm({ kind, one }: SubmitEventProps) {
  const [type, setType] = useState('')
  const [value, setValue] = useState('')
  const [extra, setExtra] = useState('')
  const submission = useSubmission(kind, nameOf(one), () => {
    setType('')
    setValue('')
    setExtra('')
  })
  const listId = useId()
  const errors = errorsByPath(submission.error)
  const fields = readFields(extra)
  const problem = problemOfValue(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!fields || problem) return
    submission.mutate({ ...fields, type, ...(value === '' ? {} : { value: readValue(value) }) })
  }
  const types = decisiveEventTypes(one.contract).filter((name) => !isReservedType(name))
  return (
    <Form onSubmit={submit} className="grid grid-cols-1 gap-3.5">
      <div className="grid grid-cols-2 gap-3">
        <Field label="Type" error={errors.type}>
          {(props) => (
            <Input
              {...props}
              required
              maxLength={255}
              list={listId}
              value={type}
              onChange={(event) => setType(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Value"
          hint={problem ? undefined : hintOf(value)}
          error={asSentence(problem) ?? errors.value}
        >
          {(props) => (
            <Input
              {...props}
              placeholder="none"
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
      </div>
      <TypeSuggestions id={listId} types={types} onChoose={setType} />
      <details>
        <summary className="w-fit text-[0.8125rem] text-muted">More fields</summary>
        <Field
          label="Fields as JSON"
          className="mt-2"
          hint="An object; an id of your own makes it safe to send twice."
          error={fields ? undefined : 'Must be a JSON object'}
        >
          {(props) => (
            <Textarea
              {...props}
              rows={3}
              spellCheck={false}
              className="font-mono text-xs"
              placeholder='{"id": "scan-4711", "place": "gate 3"}'
              value={extra}
              onChange={(event) => setExtra(event.target.value)}
            />
          )}
        </Field>
      </details>
      <FormError error={submission.error} shownPaths={['type', 'value']} />
      <Button type="submit" variant="primary" pending={submission.isPending} className="justify-self-start">
        Submit event
      </Button>
    </Form>
  )
}

interface TypeSuggestionsProps {
  id: string
  types: string[]
  onChoose: (type: string) => void
}

/** The types that the condition asks for, within a finger's reach. */
function TypeSuggestions({ id, types, onChoose }: TypeSuggestionsProps) {
  return (
    <div className="flex flex-wrap gap-1.5">
      {types.slice(0, 6).map((type) => (
        <button
          key={type}
          type="button"
          onClick={() => onChoose(type)}
          className="max-w-full truncate rounded-md bg-accent-soft px-2 py-1 text-xs font-medium text-accent"
        >
          <bdi>{type}</bdi>
        </button>
      ))}
      <datalist id={id}>
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
    </div>
  )
}

function useSubmission(kind: ClaimKind, name: string, onDone: () => void) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (event: JsonObject) => submitEvent(kind, name, event),
    onSuccess: ({ claim }) => {
      toast(claim.status === 'OPEN' ? 'Recorded; it stays OPEN' : `Recorded; it is now ${claim.status}`)
      onDone()
    },
    // Even if it was refused: the page is then behind.
    onSettled: () => queryClient.invalidateQueries({ queryKey: [kind] }),
  })
}

function hintOf(text: string): string {
  if (text === '') return 'A number or a text'
  const value = readValue(text)
  return value === null || typeof value === 'object' ? 'sent as JSON' : `sent as a ${typeof value}`
}

function readFields(text: string): JsonObject | null {
  if (text.trim() === '') return {}
  const value = readValue(text)
  return isJsonObject(value) ? value : null
}
