import type { JsonObject } from '../../kernel/json.ts'
import type { LogEvent, Submission } from './event.ts'

/**
 * A submission whose payload is large as an object, which may be thirty times its text: it is made of the text each
 * time it is asked for, and held by nobody. Thousands of submissions may wait.
 */
export class LateSubmission implements Submission {
  id: string
  readonly type: string
  readonly payloadBytes: number
  readonly payloadJson: string

  constructor({ id, type, payloadBytes }: Omit<Submission, 'payload'>, payloadJson: string) {
    this.id = id
    this.type = type
    this.payloadBytes = payloadBytes
    this.payloadJson = payloadJson
  }

  get payload(): JsonObject {
    return JSON.parse(this.payloadJson)
  }

  /** Whether their payloads have one text. If they have not, they may still be equal. */
  hasTextOf(other: Submission): boolean {
    return other instanceof LateSubmission && other.payloadJson === this.payloadJson
  }
}

/** The event that it becomes, or has become. */
export class LateEvent implements LogEvent {
  readonly id: string
  readonly type: string
  readonly system = false
  readonly createdAt: Date
  readonly #submission: LateSubmission

  constructor(submission: LateSubmission, createdAt: Date) {
    this.id = submission.id
    this.type = submission.type
    this.createdAt = createdAt
    this.#submission = submission
  }

  get payload(): JsonObject {
    return this.#submission.payload
  }

  /** With the payload as JSON. */
  asText(): Omit<LogEvent, 'payload'> & { payload: string } {
    const { id, type, system, createdAt } = this
    return { id, type, system, createdAt, payload: this.#submission.payloadJson }
  }

  /** As of the submission that it was. */
  hasTextOf(submission: Submission): boolean {
    return this.#submission.hasTextOf(submission)
  }
}

/** The event that a submission becomes. */
export function eventOf(submission: Submission, createdAt: Date): LogEvent {
  if (submission instanceof LateSubmission) return new LateEvent(submission, createdAt)
  const { id, type, payload } = submission
  return { id, type, payload, system: false, createdAt }
}
