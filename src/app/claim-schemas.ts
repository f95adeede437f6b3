import type { ClaimSchema, ExpectedVersions, Versioned } from '../domain/records.ts'
import { ServiceError } from '../errors.ts'
import {
  updateClaimSchema as changeClaimSchema,
  findClaimSchema,
  insertClaimSchema,
  type NewSchema,
  listClaimSchemas as readClaimSchemas,
  deleteClaimSchema as removeClaimSchema,
} from '../storage/claim-schemas.ts'
import type { App } from './app.ts'
import { whyNotDone } from './changed-since.ts'
import { schemaNotFound } from './not-found.ts'

/** @param most schemas of an account. @throws SCHEMA_LIMIT_REACHED */
export async function createClaimSchema(
  app: App,
  userId: string,
  made: NewSchema,
  most: number,
): Promise<Versioned<ClaimSchema>> {
  const schema = await insertClaimSchema(app.db.writes.for(userId), userId, made, most)
  if (!schema)
    throw new ServiceError('SCHEMA_LIMIT_REACHED', `The account has ${most} schemas, as many as it may.`)
  return schema
}

export async function getClaimSchema(app: App, userId: string, id: string): Promise<Versioned<ClaimSchema>> {
  const schema = await findClaimSchema(app.db.reads.for(userId), userId, id)
  if (!schema) throw schemaNotFound(id)
  return schema
}

/** Records that are read, and held in memory, at a time: half a megabyte of contracts at most. */
const PAGE = 8

/**
 * All of the account's schemas, oldest first (§4.4 has no pages); the next are read when they are asked for. What is
 * added meanwhile may be there or not.
 */
export async function* listClaimSchemas(app: App, userId: string): AsyncGenerator<ClaimSchema[]> {
  for (let after = '0'; ; ) {
    const page = await readClaimSchemas(app.db.reads.for(userId), userId, after, PAGE)
    yield page.map(({ schema }) => schema)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.position
  }
}

/**
 * Changes what is given of the template; claims made from it keep the copy of its contract that they have.
 * @throws SCHEMA_NOT_FOUND, PRECONDITION_FAILED
 */
export async function updateClaimSchema(
  app: App,
  userId: string,
  id: string,
  changes: Partial<NewSchema>,
  expected: ExpectedVersions,
): Promise<Versioned<ClaimSchema>> {
  const schema = await changeClaimSchema(app.db.writes.for(userId), userId, id, changes, expected)
  if (!schema) throw await whyNot(app, userId, id, expected)
  return schema
}

/**
 * Claims made from the schema keep their copy of its contract, and its id.
 * @throws SCHEMA_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteClaimSchema(
  app: App,
  userId: string,
  id: string,
  expected: ExpectedVersions,
): Promise<void> {
  const isDone = await removeClaimSchema(app.db.writes.for(userId), userId, id, expected)
  if (!isDone) throw await whyNot(app, userId, id, expected)
}

const whyNot = (app: App, userId: string, id: string, expected: ExpectedVersions) =>
  whyNotDone('schema', expected, schemaNotFound(id), () => getClaimSchema(app, userId, id))
