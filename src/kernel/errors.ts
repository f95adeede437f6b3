import { ERRORS } from './error-catalogue.ts'
import type { Issue } from './issue.ts'
import { MAX_MESSAGE_LENGTH, MAX_PATH_LENGTH } from './limits.ts'

export type ErrorCode = keyof typeof ERRORS

/** An answer other than success. The message is for the caller: it holds no internals and no secrets. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly details: Issue[] | undefined
  /** Response headers that belong to the error, such as Retry-After. */
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].title,
    options: { details?: Issue[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    const { stackTraceLimit } = Error
    // The error is a response. Its stack trace would take most of the time of a refusal.
    Error.stackTraceLimit = 0
    super(message, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ServiceError'
    this.code = code
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}

export function validationError(issues: Issue[]): ServiceError {
  const details = issues.map(({ path, message }) => ({
    path: cut(path, MAX_PATH_LENGTH),
    message: cut(message, MAX_MESSAGE_LENGTH),
  }))
  const [first] = details
  const more = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : ''
  return new ServiceError('VALIDATION_ERROR', `${first?.path}: ${first?.message}${more}`, { details })
}

const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text

/** With every 503, in seconds. */
export const RETRY_LATER = { 'Retry-After': '2' }

/** 503 with the seconds to wait before the next try. */
export function unavailable(message: string, cause?: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', message, { headers: RETRY_LATER, cause })
}
