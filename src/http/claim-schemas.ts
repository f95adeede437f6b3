import { type Static, Type } from 'typebox'
import type { App } from '../app/app.ts'
import {
  createClaimSchema,
  deleteClaimSchema,
  getClaimSchema,
  listClaimSchemas,
  updateClaimSchema,
} from '../app/claim-schemas.ts'
import type { ClaimSchema } from '../domain/records.ts'
import { ContractRef } from './claims/contract-body.ts'
import { presentEach } from './protocol/lists.ts'
import { BODY_ERRORS, LOCATION, ref, responses } from './protocol/responses.ts'
import { DateTime, Uuid } from './protocol/scalars.ts'
import { sendJson } from './protocol/send-json.ts'
import { type Route, route } from './route.ts'

/** §2.5; "schema" on the wire. */
export const ClaimSchemaBody = Type.Object(
  {
    id: Uuid('Made by the server.'),
    user_id: Uuid('The account that it belongs to.'),
    contract: ContractRef,
    created_at: DateTime('When it was created.'),
    updated_at: DateTime('When its contract was last replaced.'),
  },
  { $id: 'Schema', description: 'A reusable claim template (§2.5).' },
)

const NewClaimSchemaBody = Type.Object({ contract: ContractRef }, { additionalProperties: false })

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
  route({
    method: 'POST',
    url: '/v1/schemas',
    schema: {
      operationId: 'createSchema',
      summary: 'Create a schema',
      description: 'Stores a contract as a template for claims and candidates.',
      tags,
      body: NewClaimSchemaBody,
      response: responses(
        { 201: { description: 'The schema.', headers: LOCATION, schema: ref(ClaimSchemaBody) } },
        [...BODY_ERRORS, 'SCHEMA_LIMIT_REACHED'],
      ),
    },
    handler: async (request, reply) => {
      const schema = await createClaimSchema(app, request.userId, request.body.contract, most)
      return reply.code(201).header('Location', `/v1/schemas/${schema.id}`).send(presentClaimSchema(schema))
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
      const schemas = listClaimSchemas(app, request.userId)
      return sendJson(reply, { data: presentEach(schemas, presentClaimSchema) })
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
      response: responses({ 200: { description: 'The schema.', schema: ref(ClaimSchemaBody) } }, [
        'SCHEMA_NOT_FOUND',
      ]),
    },
    handler: async (request) =>
      presentClaimSchema(await getClaimSchema(app, request.userId, request.params.id.toLowerCase())),
  })

const updateClaimSchemaRoute = (app: App) =>
  route({
    method: 'PATCH',
    url: '/v1/schemas/:id',
    schema: {
      operationId: 'updateSchema',
      summary: 'Update a schema',
      description: 'Replaces the contract. Claims made from the schema before keep the copy that they have.',
      tags,
      params,
      body: NewClaimSchemaBody,
      response: responses({ 200: { description: 'The updated schema.', schema: ref(ClaimSchemaBody) } }, [
        ...BODY_ERRORS,
        'SCHEMA_NOT_FOUND',
      ]),
    },
    handler: async (request) => {
      const { userId, params, body } = request
      return presentClaimSchema(await updateClaimSchema(app, userId, params.id.toLowerCase(), body.contract))
    },
  })

const deleteClaimSchemaRoute = (app: App) =>
  route({
    method: 'DELETE',
    url: '/v1/schemas/:id',
    schema: {
      operationId: 'deleteSchema',
      summary: 'Delete a schema',
      description: 'Claims made from the schema keep their copy of its contract.',
      tags,
      params,
      response: responses({ 204: { description: 'Deleted.' } }, [...BODY_ERRORS, 'SCHEMA_NOT_FOUND']),
    },
    handler: async (request, reply) => {
      await deleteClaimSchema(app, request.userId, request.params.id.toLowerCase())
      return reply.code(204).send()
    },
  })

function presentClaimSchema(schema: ClaimSchema): Static<typeof ClaimSchemaBody> {
  return {
    id: schema.id,
    user_id: schema.userId,
    contract: schema.contract,
    created_at: schema.createdAt,
    updated_at: schema.updatedAt,
  }
}
