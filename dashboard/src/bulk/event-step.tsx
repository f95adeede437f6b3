import { type FormEvent, useState } from 'react'
import { isReservedType, RESERVED_FIELDS } from '../../../src/core/claims/event.ts'
import { MAX_EVENT_NAME_LENGTH, MAX_PAYLOAD_BYTES } from '../../../src/core/claims/limits.ts'
import type { JsonObject } from '../../../src/kernel/json.ts'
import { lengthInCharacters } from '../../../src/kernel/text.ts'
import { type EventDraft, readEvent } from '../components/event-form/event-draft.ts'
import { EventFields } from '../components/event-form/event-fields.tsx'
import { SubmitActions } from '../components/ui/dialog.tsx'
import { Form } from '../components/ui/form.tsx'

interface EventStepProps {
  draft: EventDraft
  onDraft: (draft: EventDraft) => void
  /** Types to choose from. */
  types: readonly string[]
  onDone: (event: JsonObject & { type: string }) => void
}

/** The event that all of them get. What is wrong with it is said before anything is sent. */
export function EventStep({ draft, onDraft, types, onDone }: EventStepProps) {
  const [isChecked, setChecked] = useState(false)
  const event = readEvent(draft)
  const problems = event ? problemsOf(event) : {}
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault()
    setChecked(true)
    if (event && Object.keys(problems).length === 0) onDone(event)
  }
  return (
    <Form onSubmit={submit} className="grid grid-cols-1 gap-3.5">
      <EventFields
        draft={draft}
        onChange={onDraft}
        types={types}
        errors={isChecked ? problems : {}}
        fieldsHint="An object. Without an id, one is made for this run: each claim has the event once, however often it is sent."
      />
      <SubmitActions action="Count them" pending={false} />
    </Form>
  )
}

/** What no claim would take. */
function problemsOf({ id, type, ...payload }: JsonObject & { type: string }): {
  type?: string
  fields?: string
} {
  if (isReservedType(type)) return { type: 'The service records this type itself' }
  const reserved = [...RESERVED_FIELDS, 'claim_id', 'candidate_alias'].find((name) => name in payload)
  if (reserved) return { fields: `${reserved} cannot be set here` }
  if (id !== undefined && !isEventId(id)) return { fields: 'id must be a text of 1 to 255 characters' }
  const bytes = new TextEncoder().encode(JSON.stringify(payload)).length
  return bytes > MAX_PAYLOAD_BYTES ? { fields: 'It is too large: an event has 256 KiB at most' } : {}
}

const isEventId = (id: unknown): boolean =>
  typeof id === 'string' && id !== '' && lengthInCharacters(id) <= MAX_EVENT_NAME_LENGTH
