import { ServiceError } from '../kernel/errors.ts'
import type { ExpectedVersions } from './records.ts'

type Kind = 'claim' | 'candidate' | 'schema' | 'customer' | 'webhook endpoint' | 'settings' | 'account'

/** 412: the record is there, but it is none of those that the caller expects. */
export function changedSince(kind: Kind): ServiceError {
  const are = kind === 'settings' ? 'are' : 'is'
  return new ServiceError(
    'PRECONDITION_FAILED',
    `The ${kind} ${are} not as If-Match says: somebody has made a change meanwhile. Nothing was done.`,
  )
}

/**
 * Why nothing was done to a record: it is not there, or it is none of those that the caller expects.
 * @param read throws if it is not there
 */
export async function whyNotDone(
  kind: Kind,
  expected: ExpectedVersions,
  notFound: ServiceError,
  read: () => Promise<unknown>,
): Promise<ServiceError> {
  if (expected === null) return notFound
  await read()
  return changedSince(kind)
}
