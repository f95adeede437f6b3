import { type FormEvent, useState } from 'react'
import { isReservedType, RESERVED_FIELDS } from '../../../../src/core/claims/event.ts'
import { MAX_NAME_LENGTH, MAX_PAYLOAD_BYTES } from '../../../../src/core/limits.ts'
import type { JsonObject } from '../../../../src/kernel/json.ts'
import { lengthInCharacters } from '../../../../src/kernel/text.ts'
import { SubmitActions } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { type EventDraft, readEvent } from '../../events/event-draft.ts'
import { EventFields } from '../../events/event-fields.tsx'

interface EventStepProps {
  draft: EventDraft
  onDraft: (draft: EventDraft) => void
  /** Suggested event types. */
  types: readonly string[]
  onDone: (event: JsonObject & { type: string }) => void
}

/** The form for the event. It is validated before counting starts. */
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
        fieldsHint="A JSON object. Without an id, one is generated, so retries never record the event twice."
      />
      <SubmitActions action="Count recipients" pending={false} />
    </Form>
  )
}

/** Problems for which every claim would refuse the event. */
function problemsOf({ id, type, ...payload }: JsonObject & { type: string }): {
  type?: string
  fields?: string
} {
  if (isReservedType(type)) return { type: 'This type is reserved for the service' }
  const reserved = [...RESERVED_FIELDS, 'claim_id', 'candidate_alias'].find((name) => name in payload)
  if (reserved) return { fields: `${reserved} cannot be set here` }
  if (id !== undefined && !isEventId(id))
    return { fields: `id must be text of 1 to ${MAX_NAME_LENGTH} characters` }
  const bytes = new TextEncoder().encode(JSON.stringify(payload)).length
  return bytes > MAX_PAYLOAD_BYTES ? { fields: 'The event is too large: the maximum is 256 KiB' } : {}
}

const isEventId = (id: unknown): boolean =>
  typeof id === 'string' && id !== '' && lengthInCharacters(id) <= MAX_NAME_LENGTH
