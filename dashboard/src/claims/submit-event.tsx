import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isReservedType } from '../../../src/core/claims/event.ts'
import { namedEventTypes } from '../../../src/core/contracts/condition.ts'
import { needsEventIds } from '../../../src/core/contracts/contract.ts'
import type { JsonObject } from '../../../src/kernel/json.ts'
import { errorsByPath } from '../api/client.ts'
import { newUuid } from '../api/idempotency-keys.ts'
import type { ClaimKind, WithEvents } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { useToast } from '../components/toast.tsx'
import { NO_EVENT, readEvent } from '../events/event-draft.ts'
import { lateInWords } from '../events/event-effects.ts'
import { EventFields } from '../events/event-fields.tsx'
import { type AnyClaim, nameOf, type Submitted, submitEvent } from './claims-api.ts'
import { eventRefusal } from './event-refusal.ts'
import { isPaused } from './paused.tsx'

interface SubmitEventProps {
  kind: ClaimKind
  claim: AnyClaim
}

/** The form that submits an event, or the reason why the claim accepts none. */
export function SubmitEvent({ kind, claim }: SubmitEventProps & { claim: WithEvents<AnyClaim> }) {
  const reason = eventRefusal(claim)
  return (
    <Card aria-label="Submit an event">
      <CardHeader title="Submit an event" description={reason ?? 'Events cannot be changed or deleted.'} />
      {reason === null ? (
        <CardBody>
          <EventForm kind={kind} claim={claim} />
        </CardBody>
      ) : null}
    </Card>
  )
}

function EventForm({ kind, claim }: SubmitEventProps) {
  const needsId = needsEventIds(claim.contract)
  const newDraft = () => (needsId ? { ...NO_EVENT, id: newUuid() } : NO_EVENT)
  const [draft, setDraft] = useState(newDraft)
  const submission = useSubmission(kind, claim, () => setDraft(newDraft()))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const written = readEvent(draft)
    if (written) submission.mutate(written)
  }
  const types = judgedTypes(claim).filter((name) => !isReservedType(name))
  return (
    <Form onSubmit={submit} className="grid grid-cols-1 gap-3.5">
      <EventFields
        draft={draft}
        onChange={setDraft}
        types={types}
        errors={errorsByPath(submission.error)}
        fieldsHint={
          needsId ? 'A JSON object.' : 'A JSON object. With an id of your own, a retry is not recorded twice.'
        }
        needsId={needsId}
      />
      <FormError
        error={submission.error}
        shownPaths={needsId ? ['type', 'id', 'value'] : ['type', 'value']}
      />
      <Button type="submit" variant="primary" pending={submission.isPending} className="justify-self-start">
        Submit event
      </Button>
    </Form>
  )
}

/** The event types that the claim's status looks at. */
function judgedTypes({ status, contract }: AnyClaim): string[] {
  const { fulfillment_condition, review, clock } = contract
  const judged =
    status === 'OPEN'
      ? [fulfillment_condition, clock?.pause_on, clock?.resume_on]
      : [review?.reversal_condition, review?.restart_on]
  return [...new Set(judged.flatMap((condition) => (condition ? [...namedEventTypes(condition)] : [])))]
}

function useSubmission(kind: ClaimKind, before: AnyClaim, onDone: () => void) {
  const name = nameOf(before)
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (event: JsonObject) => submitEvent(kind, name, event),
    onSuccess: ({ claim, late_by }) => {
      const late = late_by === undefined ? '' : `, ${lateInWords(late_by)}`
      toast(`Event recorded${late}. ${changeInWords(before, claim)}`)
      onDone()
    },
    // Also after a refusal, because the page is then out of date.
    onSettled: () => queryClient.invalidateQueries({ queryKey: [kind] }),
  })
}

/** What the event did to the claim. */
function changeInWords(before: AnyClaim, claim: Submitted['claim']): string {
  const { status, scheduled_outcome, due_at } = claim
  if (status !== before.status) return `The status is now ${status}.`
  if (scheduled_outcome !== before.scheduled_outcome)
    return 'It reversed the outcome: it is now to be FAILED.'
  if (status === 'OPEN' && isPaused(claim) !== isPaused(before))
    return isPaused(claim) ? 'It stopped the clock.' : 'It continued the clock.'
  if (status === 'PENDING' && due_at !== before.due_at) return 'It restarted the review.'
  return `The status is still ${status}.`
}
