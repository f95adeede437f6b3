import { type Static, Type } from 'typebox'
import { tokenOf } from '../accounts/identity/authenticate.ts'
import type { App } from '../app.ts'
import { ContractRef, Hints } from '../contracts/contract-bodies.ts'
import type { ContractHintsCache } from '../contracts/contract-hints-cache.ts'
import { NewReminders, Reminders } from '../contracts/reminder-bodies.ts'
import type { WithContract } from '../core/claims/claim.ts'
import { sortReminders } from '../core/claims/reminder-times.ts'
import { MAX_HINTS } from '../core/limits.ts'
import type { ClaimSchema } from '../core/records.ts'
import { ONCE_ERRORS, onceRoute } from '../idempotency/idempotency-key.ts'
import { type Context, contextOf } from '../platform/database/context.ts'
import {
  expectedVersions,
  IfMatchHeader,
  IfNoneMatchHeader,
  sendTagged,
  tagged,
} from '../platform/http/responses/entity-tags.ts'
import { DateTime, NameOrNull, Uuid, Version } from '../platform/http/responses/field-schemas.ts'
import { JsonText, sendJson } from '../platform/http/responses/json-stream.ts'
import { presentEach } from '../platform/http/responses/lists.ts'
import {
  BODY_ERRORS,
  ETAG,
  LOCATION,
  NOT_MODIFIED,
  ref,
  responses,
} from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import {
  createClaimSchema,
  deleteClaimSchema,
  getClaimSchema,
  listClaimSchemas,
  updateClaimSchema,
} from './claim-schemas.ts'

export const SCHEMA_NAMES = {
  name: NameOrNull('What people call it; null where there is none.', 255, 'Support ticket, 24 h'),
  description: NameOrNull(
    'What is to be known about it; null for nothing.',
    2_000,
    'For tickets of level 1.',
  ),
}

const FIELDS = {
  id: Uuid('Made by the server.'),
  user_id: Uuid('The account that it belongs to.'),
  version: Version('From 1 on: one more with each change of the contract, the name or the description.'),
  ...SCHEMA_NAMES,
  contract: ContractRef,
  reminders: Type.Optional(Reminders),
  created_at: DateTime('When it was created.'),
  updated_at: DateTime('When its contract was last replaced.'),
}

/** §2.5; "schema" on the wire. */
export const ClaimSchemaBody = Type.Object(FIELDS, {
  $id: 'Schema',
  description: 'A reusable claim template (§2.5).',
})

export const ChangedClaimSchemaBody = Type.Object(
  {
    ...FIELDS,
    hints: Type.Optional(
      Hints(
        MAX_HINTS,
        'Hints to the contract (§2.13); only if there are any, and only in responses to creations and changes.',
      ),
    ),
  },
  { $id: 'ChangedSchema', description: 'A schema (§2.5), as its creation or change answers it.' },
)

const OPTIONAL_FIELDS = {
  reminders: Type.Optional(
    NewReminders('Claims of the schema have them, unless their creation names others.'),
  ),
  name: Type.Optional(SCHEMA_NAMES.name),
  description: Type.Optional(SCHEMA_NAMES.description),
}

const NewClaimSchemaBody = Type.Object(
  { contract: ContractRef, ...OPTIONAL_FIELDS },
  { additionalProperties: false },
)

const ClaimSchemaChangeBody = Type.Object(
  { contract: Type.Optional(ContractRef), ...OPTIONAL_FIELDS },
  { additionalProperties: false, minProperties: 1 },
)

const tags = ['Schemas']
const params = Type.Object({ id: Uuid('The schema.') })

/** @param most schemas of an account */
export const claimSchemaRoutes = (app: App, most: number): Route[] => [
  createClaimSchemaRoute(app, most),
  listClaimSchemasRoute(app),
  getClaimSchemaRoute(app),
  updateClaimSchemaRoute(app),
  deleteClaimSchemaRoute(app),
]

const createClaimSchemaRoute = (app: App, most: number) =>
  onceRoute(app, {
    method: 'POST',
    url: '/v1/schemas',
    schema: {
      operationId: 'createSchema',
      summary: 'Create a schema',
      description: 'Stores a contract as a template for claims and candidates.',
      tags,
      body: NewClaimSchemaBody,
      response: responses(
        {
          201: {
            description: 'The schema.',
            headers: { ...LOCATION, ...ETAG },
            schema: ref(ChangedClaimSchemaBody),
          },
        },
        [...ONCE_ERRORS, 'SCHEMA_LIMIT_REACHED'],
      ),
    },
    answer: async (context, request) => {
      const { contract, name = null, description = null, reminders = [] } = request.body
      const made = { contract, name, description, reminders: sortReminders(reminders) }
      const schema = await createClaimSchema(context, made, tokenOf(request), most)
      const headers = { Location: `/v1/schemas/${schema.id}`, ...tagged(schema.version) }
      return { status: 201, headers, body: await withHints(app.contractHints, context, schema) }
    },
  })

const listClaimSchemasRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/schemas',
    schema: {
      operationId: 'listSchemas',
      summary: 'List schemas',
      description: 'All of the account’s schemas, oldest first.',
      tags,
      querystring: Type.Object({}, { additionalProperties: false }),
      response: responses(
        {
          200: {
            description: 'The schemas.',
            schema: Type.Object({ data: Type.Array(ref(ClaimSchemaBody)) }),
          },
        },
        [],
      ),
    },
    handler: (request, reply) => {
      const schemas = listClaimSchemas(contextOf(app.db, request.userId))
      return sendJson(reply, { data: presentEach(schemas, presentStored) })
    },
  })

const getClaimSchemaRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/schemas/:id',
    schema: {
      operationId: 'getSchema',
      summary: 'Read a schema',
      tags,
      params,
      headers: IfNoneMatchHeader,
      response: responses(
        { 200: { description: 'The schema.', headers: ETAG, schema: ref(ClaimSchemaBody) }, ...NOT_MODIFIED },
        ['SCHEMA_NOT_FOUND'],
      ),
    },
    handler: async (request, reply) => {
      const schema = await getClaimSchema(contextOf(app.db, request.userId), request.params.id.toLowerCase())
      return sendTagged(request, reply, schema.version, presentClaimSchema(schema))
    },
  })

const updateClaimSchemaRoute = (app: App) =>
  onceRoute(app, {
    method: 'PATCH',
    url: '/v1/schemas/:id',
    schema: {
      operationId: 'updateSchema',
      summary: 'Update a schema',
      description:
        'Sets what is given. If that changes anything, it makes a version, and the one before is kept. Claims made from the schema before keep the copy of its contract that they have.',
      tags,
      params,
      headers: IfMatchHeader,
      body: ClaimSchemaChangeBody,
      response: responses(
        { 200: { description: 'The updated schema.', headers: ETAG, schema: ref(ChangedClaimSchemaBody) } },
        [...ONCE_ERRORS, 'SCHEMA_NOT_FOUND', 'PRECONDITION_FAILED'],
      ),
    },
    answer: async (context, request) => {
      const { params, body, headers } = request
      const expected = expectedVersions(headers['if-match'])
      const id = params.id.toLowerCase()
      const { reminders, ...names } = body
      const changes = { ...names, ...(reminders && { reminders: sortReminders(reminders) }) }
      const schema = await updateClaimSchema(context, id, changes, tokenOf(request), expected)
      return { headers: tagged(schema.version), body: await withHints(app.contractHints, context, schema) }
    },
  })

const deleteClaimSchemaRoute = (app: App) =>
  route({
    method: 'DELETE',
    url: '/v1/schemas/:id',
    schema: {
      operationId: 'deleteSchema',
      summary: 'Delete a schema',
      description: 'Its versions go with it. Claims made from the schema keep their copy of its contract.',
      tags,
      params,
      headers: IfMatchHeader,
      response: responses({ 204: { description: 'Deleted.' } }, [
        ...BODY_ERRORS,
        'SCHEMA_NOT_FOUND',
        'PRECONDITION_FAILED',
      ]),
    },
    handler: async ({ userId, params, headers }, reply) => {
      const expected = expectedVersions(headers['if-match'])
      await deleteClaimSchema(contextOf(app.db, userId), params.id.toLowerCase(), expected)
      return reply.code(204).send()
    },
  })

const withHints = async (hints: ContractHintsCache, { read, userId }: Context, schema: ClaimSchema) => ({
  ...presentClaimSchema(schema),
  hints: await hints.ofCreation(read, userId, schema.contract),
})

/** The contract goes into the answer as it was stored. */
const presentStored = (schema: WithContract<ClaimSchema, string>) =>
  JsonText.ofObject(presentClaimSchema({ ...schema, contract: new JsonText(schema.contract) }))

function presentClaimSchema<Form>(
  schema: WithContract<ClaimSchema, Form>,
): WithContract<Static<typeof ClaimSchemaBody>, Form> {
  const { reminders } = schema
  return {
    id: schema.id,
    user_id: schema.userId,
    version: schema.versionNumber,
    name: schema.name,
    description: schema.description,
    contract: schema.contract,
    ...(reminders && { reminders: [...reminders] }),
    created_at: schema.createdAt,
    updated_at: schema.updatedAt,
  }
}
