import { type ServiceError, unavailable } from '../../kernel/errors.ts'
import type { EventRequest, PendingSubmission } from './pending-submission.ts'

/** For who has waited for too long. */
export function outOfPatience({ request, lost }: PendingSubmission): ServiceError {
  if (lost) return notKnown(request, lost.cause)
  return unavailable(
    `Too much happens at once to this ${request.address.kind}, to its test clock or to the service. The event was not recorded.`,
  )
}

/** For who is on the way for too long. */
export const notKnown = ({ submission }: EventRequest, cause?: unknown) =>
  unavailable(
    `The connection to the database was lost while the event was being recorded, and whether it was is not known. Send it again with the id ${JSON.stringify(submission.id)}: that is safe.`,
    cause,
  )
