import { Type } from 'typebox'
import { CandidateSummaryBody, ClaimSummaryBody } from '../claims/claim-bodies.ts'
import { presentEither, withTexts } from '../claims/present-claim.ts'
import { NOTIFICATION_TYPES } from '../core/notification-types.ts'
import type { Notification } from '../core/notifications.ts'
import { DateTime, Uuid } from '../platform/http/responses/field-schemas.ts'
import { JsonText } from '../platform/http/responses/json-stream.ts'
import { ref } from '../platform/http/responses/responses.ts'
import { presentTestClockThen, TestClockThenBody } from '../test-clocks/test-clock-routes.ts'

const NOTIFICATION_FIELDS = {
  id: Uuid('The same whenever the notification is read; no other has it.'),
  type: Type.Enum([...NOTIFICATION_TYPES], { description: 'What happened.', examples: ['claim.confirmed'] }),
  created_at: DateTime('When it was recorded, in real time also of what is on a test clock.'),
  sequence: Type.Integer({
    description:
      'Rises within a claim or candidate: the place in its log of the event that it tells of, from 1 on; 0 for its creation, and for anything else.',
    examples: [3],
  }),
  event: Type.Optional(
    Type.Object(
      {
        id: Type.String({ description: 'Unique within the claim.', examples: ['evt-1'] }),
        type: Type.String({ examples: ['ticket_resolved'] }),
        created_at: DateTime('When the service recorded it, by the time that the claim lives by.'),
      },
      { description: 'The event that was recorded, without its other fields: these are in the log.' },
    ),
  ),
  reminder: Type.Optional(
    Type.Number({
      description: 'Only if the type is …due_soon: the fraction of the activity window that was reached.',
      examples: [0.9],
    }),
  ),
  checked_at: Type.Optional(
    DateTime(
      'Beside `reminder`: the scheduled check that found it reached, by the time that the claim lives by.',
    ),
  ),
  claim: Type.Optional(ref(ClaimSummaryBody)),
  candidate: Type.Optional(ref(CandidateSummaryBody)),
  test_clock: Type.Optional(ref(TestClockThenBody)),
  webhook_endpoint: Type.Optional(
    Type.Object({
      id: Uuid('The endpoint.'),
      url: Type.String({ description: 'As it is now.', examples: ['https://example.com/claimkeeper'] }),
      description: Type.Union([Type.String(), Type.Null()], {
        description: 'As it is now.',
        examples: ['billing'],
      }),
    }),
  ),
  reason: Type.Optional(
    Type.Enum(['failing', 'gone'], {
      description: 'Why an endpoint was disabled: for 5 days nothing arrived, or it answered 410.',
      examples: ['failing'],
    }),
  ),
}

/** §4.13 */
export const NotificationBody = Type.Object(NOTIFICATION_FIELDS, {
  $id: 'Notification',
  description:
    'That something happened to a claim, a candidate, a test clock or a webhook endpoint: one of the four fields is there. The first three are as they were then; a claim or candidate as an event found it that was recorded.',
})

export const NotificationPage = Type.Object({
  data: Type.Array(ref(NotificationBody)),
  next_cursor: Type.String({
    description: 'To pass as `after`, now or later. It is there on the last page too.',
    examples: ['TkR1b0h4Z1pQeFhGd0Fxcw'],
  }),
  has_more: Type.Boolean({ description: 'Whether there is more already.' }),
})

/** The contract of the claim goes into the response as stored text. */
export function presentNotification({
  id,
  type,
  sequence,
  createdAt,
  event,
  reminder,
  subject,
}: Notification): JsonText {
  const told = { id, type, created_at: createdAt.toISOString(), sequence }
  if ('endpoint' in subject) {
    const { id, url, description } = subject.endpoint
    return JsonText.ofObject({ ...told, webhook_endpoint: { id, url, description }, reason: subject.reason })
  }
  if ('testClock' in subject)
    return JsonText.ofObject({ ...told, test_clock: presentTestClockThen(subject.testClock) })
  const { claim } = subject
  const text = JsonText.ofObject(presentEither(withTexts(claim)))
  return JsonText.ofObject({
    ...told,
    ...(event
      ? { event: { id: event.id, type: event.type, created_at: event.createdAt.toISOString() } }
      : {}),
    ...(reminder ? { reminder: reminder.fraction, checked_at: reminder.checkedAt.toISOString() } : {}),
    [claim.candidateAlias === null ? 'claim' : 'candidate']: text,
  })
}
