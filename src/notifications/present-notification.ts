import { presentEither, withTexts } from '../claims/present-claim.ts'
import type { Notification } from '../core/notifications.ts'
import { JsonText } from '../platform/http/responses/send-json.ts'
import { presentTestClockThen } from '../test-clocks/test-clock-routes.ts'

/** Its claim's contract goes into the answer as it was stored. */
export function presentNotification({
  id,
  type,
  sequence,
  createdAt,
  event,
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
    [claim.candidateAlias === null ? 'claim' : 'candidate']: text,
  })
}
