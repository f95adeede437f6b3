import { ServiceError, validationError } from '../kernel/errors.ts'
import { MAX_METADATA_KEYS } from '../kernel/limits.ts'
import { changeMetadata, type Metadata, type MetadataChange } from '../kernel/metadata.ts'
import type { ClaimAddress } from './claims/claim.ts'
import type { ExpectedVersions } from './records.ts'

/** 404 with the resource's own code; another account's record answers the same. */
export function claimNotFound(address: ClaimAddress): ServiceError {
  return address.kind === 'claim'
    ? new ServiceError('CLAIM_NOT_FOUND', `No claim has the id ${address.id}.`)
    : new ServiceError('CANDIDATE_NOT_FOUND', `No candidate has the alias ${JSON.stringify(address.alias)}.`)
}

export function schemaNotFound(id: string): ServiceError {
  return new ServiceError('SCHEMA_NOT_FOUND', `No schema has the id ${id}.`)
}

/** @param newest the schema's present version */
export function schemaVersionNotFound(
  id: string,
  number: number,
  newest: number,
  kept: number,
): ServiceError {
  const oldest = Math.max(1, newest - kept + 1)
  return new ServiceError(
    'SCHEMA_VERSION_NOT_FOUND',
    `The schema ${id} has no version ${number}; it has those from ${oldest} to ${newest}.`,
  )
}

/** @param deletedAt of a deleted calendar, which can be read but not changed */
export function calendarNotFound(id: string, deletedAt?: Date): ServiceError {
  const message = deletedAt
    ? `The calendar ${id} was deleted at ${deletedAt.toISOString()}; it can still be read.`
    : `No calendar has the id ${id}.`
  return new ServiceError('CALENDAR_NOT_FOUND', message)
}

/** @param newest the calendar's current version */
export function calendarVersionNotFound(id: string, number: number, newest: number): ServiceError {
  return new ServiceError(
    'CALENDAR_VERSION_NOT_FOUND',
    `The calendar ${id} has no version ${number}; its versions go from 1 to ${newest}.`,
  )
}

export function testClockNotFound(id: string): ServiceError {
  return new ServiceError('TEST_CLOCK_NOT_FOUND', `No test clock has the id ${id}.`)
}

/** `name`: how the request names the customer, by id or by external_id. */
export function customerNotFound(name: { id: string } | { externalId: string }): ServiceError {
  return 'id' in name
    ? new ServiceError('CUSTOMER_NOT_FOUND', `No customer has the id ${name.id}.`)
    : new ServiceError(
        'CUSTOMER_NOT_FOUND',
        `No customer has the external_id ${JSON.stringify(name.externalId)}.`,
      )
}

export function webhookEndpointNotFound(id: string): ServiceError {
  return new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND', `No webhook endpoint has the id ${id}.`)
}

export function webhookDeliveryNotFound(id: string): ServiceError {
  return new ServiceError(
    'WEBHOOK_DELIVERY_NOT_FOUND',
    `No webhook delivery has the id ${JSON.stringify(id)}.`,
  )
}

export function tokenNotFound(id: string): ServiceError {
  return new ServiceError('TOKEN_NOT_FOUND', `No token has the id ${id}.`)
}

export function invitationNotFound(id: string): ServiceError {
  return new ServiceError('INVITATION_NOT_FOUND', `No invitation has the id ${id}.`)
}

type Kind =
  | 'claim'
  | 'candidate'
  | 'schema'
  | 'calendar'
  | 'customer'
  | 'webhook endpoint'
  | 'settings'
  | 'account'

/** 412: the record exists, but not in a version that the caller expects. */
export function changedSince(kind: Kind): ServiceError {
  const are = kind === 'settings' ? 'are' : 'is'
  return new ServiceError(
    'PRECONDITION_FAILED',
    `The ${kind} ${are} not as If-Match says: another request changed it. Nothing was done.`,
  )
}

/**
 * The error for a record that was not changed: it does not exist, or not in a version that the caller expects.
 * @param read throws if the record does not exist
 */
export async function rejectionReason(
  kind: Kind,
  expected: ExpectedVersions,
  notFound: ServiceError,
  read: () => Promise<unknown>,
): Promise<ServiceError> {
  if (expected === null) return notFound
  await read()
  return changedSince(kind)
}

/** @throws VALIDATION_ERROR if there would be too many keys */
export function changedMetadata(metadata: Metadata, change: MetadataChange): Metadata {
  const result = changeMetadata(metadata, change)
  if (result) return result
  const message = `must not have more than ${MAX_METADATA_KEYS} keys, including the existing ones`
  throw validationError([{ path: 'metadata', message }])
}
