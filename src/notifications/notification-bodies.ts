import { Type } from 'typebox'
import { CandidateSummaryBody, ClaimSummaryBody } from '../claims/claim-bodies.ts'
import { presentEither, withStoredJson } from '../claims/present-claim.ts'
import { NOTIFICATION_TYPES } from '../core/notification-types.ts'
import type { Notification } from '../core/notifications.ts'
import { DateTime, Uuid } from '../platform/http/responses/field-schemas.ts'
import { JsonText } from '../platform/http/responses/json-stream.ts'
import { ref } from '../platform/http/responses/responses.ts'
import { presentTestClockThen, TestClockThenBody } from '../test-clocks/test-clock-routes.ts'

const NOTIFICATION_FIELDS = {
  id: Uuid('Unique, and the same whenever the notification is read.'),
  type: Type.Enum([...NOTIFICATION_TYPES], { description: 'What happened.', examples: ['claim.confirmed'] }),
  created_at: DateTime('Time of recording, in real time even for records on a test clock.'),
  sequence: Type.Integer({
    description:
      'Grows within a claim or candidate: the number of the event in its log, from 1 on. 0 for its creation and for other notifications.',
    examples: [3],
  }),
  event: Type.Optional(
    Type.Object(
      {
        id: Type.String({ description: 'Unique within the claim.', examples: ['evt-1'] }),
        type: Type.String({ examples: ['ticket_resolved'] }),
        created_at: DateTime('Time of recording, by the claim’s clock.'),
      },
      { description: 'The recorded event. Its further fields are in the log.' },
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
      'Beside `reminder`: the scheduled check that found it reached, by the real time or the claim’s test clock.',
    ),
  ),
  claim: Type.Optional(ref(ClaimSummaryBody)),
  candidate: Type.Optional(ref(CandidateSummaryBody)),
  test_clock: Type.Optional(ref(TestClockThenBody)),
  webhook_endpoint: Type.Optional(
    Type.Object({
      id: Uuid('The endpoint.'),
      url: Type.String({ description: 'Current state.', examples: ['https://example.com/claimkeeper'] }),
      description: Type.Union([Type.String(), Type.Null()], {
        description: 'Current state.',
        examples: ['billing'],
      }),
    }),
  ),
  reason: Type.Optional(
    Type.Enum(['failing', 'gone'], {
      description:
        'Why an endpoint was disabled: no delivery succeeded for 5 days, or a response had status 410.',
      examples: ['failing'],
    }),
  ),
}

/** §4.13 */
export const NotificationBody = Type.Object(NOTIFICATION_FIELDS, {
  $id: 'Notification',
  description:
    'A change of a claim, a candidate, a test clock or a webhook endpoint. One of the four fields is present. The first three are in the state of that time; with a recorded event, the claim or candidate is in the state before the event.',
})

export const NotificationPage = Type.Object({
  data: Type.Array(ref(NotificationBody)),
  next_cursor: Type.String({
    description: 'The value for `after`, now or later. Present on the last page too.',
    examples: ['TkR1b0h4Z1pQeFhGd0Fxcw'],
  }),
  has_more: Type.Boolean({ description: 'Whether more notifications exist now.' }),
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
  const fields = { id, type, created_at: createdAt.toISOString(), sequence }
  if ('endpoint' in subject) {
    const { id, url, description } = subject.endpoint
    return JsonText.ofObject({
      ...fields,
      webhook_endpoint: { id, url, description },
      reason: subject.reason,
    })
  }
  if ('testClock' in subject)
    return JsonText.ofObject({ ...fields, test_clock: presentTestClockThen(subject.testClock) })
  const { claim } = subject
  const text = JsonText.ofObject(presentEither(withStoredJson(claim)))
  return JsonText.ofObject({
    ...fields,
    ...(event
      ? { event: { id: event.id, type: event.type, created_at: event.createdAt.toISOString() } }
      : {}),
    ...(reminder ? { reminder: reminder.fraction, checked_at: reminder.checkedAt.toISOString() } : {}),
    [claim.candidateAlias === null ? 'claim' : 'candidate']: text,
  })
}
