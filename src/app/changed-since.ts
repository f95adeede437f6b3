import { ServiceError } from '../errors.ts'

/** 412: the record is there, but it is none of those that the caller expects. */
export function changedSince(kind: 'schema' | 'customer' | 'webhook endpoint' | 'settings'): ServiceError {
  const are = kind === 'settings' ? 'are' : 'is'
  return new ServiceError(
    'PRECONDITION_FAILED',
    `The ${kind} ${are} not as If-Match says: somebody has made a change meanwhile. Nothing was done.`,
  )
}
