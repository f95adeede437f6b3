import { type Static, Type } from 'typebox'
import { MadeBy, presentActor } from '../accounts/tokens/actor-bodies.ts'
import type { App } from '../app.ts'
import { ContractRef } from '../contracts/contract-bodies.ts'
import type { WithContract } from '../core/claims/claim.ts'
import type { SchemaVersion } from '../core/records.ts'
import { contextOf } from '../platform/database/context.ts'
import { DateTime, Uuid, Version } from '../platform/http/responses/field-schemas.ts'
import { JsonText, sendJson } from '../platform/http/responses/json-stream.ts'
import { presentEach } from '../platform/http/responses/lists.ts'
import { ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import { SCHEMA_NAMES } from './claim-schema-routes.ts'
import { getSchemaVersion, listSchemaVersions } from './claim-schemas.ts'

/** §2.5 */
export const SchemaVersionBody = Type.Object(
  {
    schema_id: Uuid('The schema.'),
    version: Version('Its number, from 1 on.'),
    ...SCHEMA_NAMES,
    contract: ContractRef,
    created_at: DateTime('Time at which the version was made. It applies until the next version.'),
    made_by: MadeBy,
  },
  { $id: 'SchemaVersion', description: 'A schema from one change to the next (§2.5).' },
)

const tags = ['Schemas']
const id = Uuid('The schema.')

export const schemaVersionRoutes = (app: App): Route[] => [
  listSchemaVersionsRoute(app),
  getSchemaVersionRoute(app),
]

const listSchemaVersionsRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/schemas/:id/versions',
    schema: {
      operationId: 'listSchemaVersions',
      summary: 'List the versions of a schema',
      description: 'The newest 100 versions, newest first. The first is the current one.',
      tags,
      params: Type.Object({ id }),
      querystring: Type.Object({}, { additionalProperties: false }),
      response: responses(
        {
          200: {
            description: 'The versions.',
            schema: Type.Object({ data: Type.Array(ref(SchemaVersionBody)) }),
          },
        },
        ['SCHEMA_NOT_FOUND'],
      ),
    },
    handler: async (request, reply) => {
      const versions = await listSchemaVersions(
        contextOf(app.db, request.userId),
        request.params.id.toLowerCase(),
      )
      return sendJson(reply, {
        data: presentEach(versions, (version) => JsonText.ofObject(presentSchemaVersion(version))),
      })
    },
  })

const getSchemaVersionRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/schemas/:id/versions/:version',
    schema: {
      operationId: 'getSchemaVersion',
      summary: 'Read a version of a schema',
      tags,
      params: Type.Object({ id, version: Version('The number of the version.') }),
      response: responses({ 200: { description: 'The version.', schema: ref(SchemaVersionBody) } }, [
        'SCHEMA_NOT_FOUND',
        'SCHEMA_VERSION_NOT_FOUND',
      ]),
    },
    handler: async ({ userId, params }, reply) => {
      const version = await getSchemaVersion(
        contextOf(app.db, userId),
        params.id.toLowerCase(),
        params.version,
      )
      return sendJson(reply, presentSchemaVersion(version))
    },
  })

const presentSchemaVersion = (version: SchemaVersion) =>
  ({
    schema_id: version.schemaId,
    version: version.number,
    name: version.name,
    description: version.description,
    contract: new JsonText(version.contract),
    created_at: version.createdAt,
    made_by: presentActor(version.madeBy),
  }) satisfies WithContract<Static<typeof SchemaVersionBody>, JsonText>
