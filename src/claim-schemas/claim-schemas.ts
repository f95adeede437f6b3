import { actorHash, type ByToken } from '../accounts/tokens/api-token.ts'
import { findVersionOfNewClaim } from '../calendars/calendar-times.ts'
import type { WithContract } from '../core/claims/claim.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { rejectionReason, schemaNotFound, schemaVersionNotFound } from '../core/record-errors.ts'
import type { ClaimSchema, ExpectedVersions, SchemaVersion, Versioned } from '../core/records.ts'
import { ServiceError, unavailable } from '../kernel/errors.ts'
import type { Context } from '../platform/database/context.ts'
import {
  updateClaimSchema as changeClaimSchema,
  findClaimSchema,
  insertClaimSchema,
  type NewSchema,
  listClaimSchemas as readClaimSchemas,
  deleteClaimSchema as removeClaimSchema,
} from './claim-schema-store.ts'
import { findSchemaVersion, listSchemaVersions as readSchemaVersions } from './claim-schema-version-store.ts'
import { MAX_VERSIONS, PAGE_SIZE } from './limits.ts'

/**
 * @param maxSchemas schemas of an account
 * @throws SCHEMA_LIMIT_REACHED, CALENDAR_NOT_FOUND, CALENDAR_VERSION_NOT_FOUND
 */
export async function createClaimSchema(
  context: Context,
  made: NewSchema,
  by: ByToken,
  maxSchemas: number,
): Promise<Versioned<ClaimSchema>> {
  await requireCalendar(context, made.contract)
  const schema = await insertClaimSchema(context.write, context.userId, made, actorHash(by), maxSchemas)
  if (!schema)
    throw new ServiceError('SCHEMA_LIMIT_REACHED', `The account has ${maxSchemas} schemas, the maximum.`)
  return schema
}

/** No claim can be made from a contract whose calendar is missing or deleted. The contract is stored as it was sent. */
async function requireCalendar({ read, userId }: Context, { clock }: Contract): Promise<void> {
  if (clock?.calendar) await findVersionOfNewClaim(read, userId, clock.calendar)
}

export async function getClaimSchema(context: Context, id: string): Promise<Versioned<ClaimSchema>> {
  const schema = await findClaimSchema(context.read, context.userId, id)
  if (!schema) throw schemaNotFound(id)
  return schema
}

/**
 * All schemas of the account, oldest first (§4.4 has no pages). Later schemas are read while the caller iterates. A schema
 * that is added meanwhile may be missing.
 */
export async function* listClaimSchemas(
  context: Context,
): AsyncGenerator<WithContract<ClaimSchema, string>[]> {
  for (let after = '0'; ; ) {
    const page = await readClaimSchemas(context.read, context.userId, after, PAGE_SIZE)
    yield page.map(({ schema }) => schema)
    const last = page.at(-1)
    if (!last || page.length < PAGE_SIZE) return
    after = last.position
  }
}

/**
 * The versions of the schema, newest first (§4.4 has no pages). Older versions are read while the caller iterates.
 * @throws SCHEMA_NOT_FOUND
 */
export async function listSchemaVersions(
  context: Context,
  id: string,
): Promise<AsyncGenerator<SchemaVersion[]>> {
  const read = (below: number) => readSchemaVersions(context.read, context.userId, id, below, PAGE_SIZE)
  const first = await read(Number.MAX_SAFE_INTEGER)
  if (first.length === 0) throw schemaNotFound(id)
  return fromFirst(first, read)
}

async function* fromFirst(first: SchemaVersion[], read: (below: number) => Promise<SchemaVersion[]>) {
  for (let page = first; ; ) {
    yield page
    const last = page.at(-1)
    if (!last || page.length < PAGE_SIZE) return
    page = await read(last.number)
    // No older version: the last one is the oldest kept version, or all versions were deleted with the schema.
    if (page.length === 0 && (await read(Number.MAX_SAFE_INTEGER)).length === 0)
      throw unavailable('The schema was deleted while its versions were read.')
  }
}

/** @throws SCHEMA_NOT_FOUND, SCHEMA_VERSION_NOT_FOUND */
export async function getSchemaVersion(context: Context, id: string, number: number): Promise<SchemaVersion> {
  const version = await findSchemaVersion(context.read, context.userId, id, number)
  if (version) return version
  const { versionNumber } = await getClaimSchema(context, id)
  throw schemaVersionNotFound(id, number, versionNumber, MAX_VERSIONS)
}

/**
 * Changes the given fields of the template. Existing claims keep their copy of its contract.
 * @throws SCHEMA_NOT_FOUND, PRECONDITION_FAILED, CALENDAR_NOT_FOUND, CALENDAR_VERSION_NOT_FOUND
 */
export async function updateClaimSchema(
  context: Context,
  id: string,
  changes: Partial<NewSchema>,
  by: ByToken,
  expected: ExpectedVersions,
): Promise<Versioned<ClaimSchema>> {
  if (changes.contract?.clock?.calendar) {
    await getClaimSchema(context, id)
    await requireCalendar(context, changes.contract)
  }
  const schema = await changeClaimSchema(context.write, context.userId, id, changes, actorHash(by), expected)
  if (!schema) throw await reasonOf(context, id, expected)
  return schema
}

/**
 * Claims made from the schema keep their copy of its contract, and its id.
 * @throws SCHEMA_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteClaimSchema(
  context: Context,
  id: string,
  expected: ExpectedVersions,
): Promise<void> {
  const isDone = await removeClaimSchema(context.write, context.userId, id, expected)
  if (!isDone) throw await reasonOf(context, id, expected)
}

const reasonOf = (context: Context, id: string, expected: ExpectedVersions) =>
  rejectionReason('schema', expected, schemaNotFound(id), () => getClaimSchema(context, id))
