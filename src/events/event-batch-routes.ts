import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { SwaggerTransform } from '@fastify/swagger'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { CandidateSummaryBody, ClaimSummaryBody, EventRef } from '../claims/claim-bodies.ts'
import { MAX_EVENT_NAME_LENGTH } from '../core/claims/limits.ts'
import { keyOf } from '../idempotency/idempotency-key.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Item } from '../platform/http/bodies/parse-json.ts'
import { mayLast } from '../platform/http/connections/connection.ts'
import { inTurnToTell } from '../platform/http/limits/answer-seats.ts'
import type { Stream } from '../platform/http/openapi/split-streams.ts'
import {
  BATCH_BODY_LIMIT,
  batchAnswer,
  batchBody,
  batchResult,
  itemReader,
  MAX_ITEMS,
  validateEnvelope,
} from '../platform/http/responses/batch.ts'
import { refuseEncoding } from '../platform/http/responses/error-response.ts'
import {
  BODY_ERRORS,
  linesOf,
  NDJSON,
  NDJSON_TYPES,
  ref,
  responses,
} from '../platform/http/responses/responses.ts'
import { sendJson } from '../platform/http/responses/send-json.ts'
import { route, type TypedServer } from '../platform/http/route.ts'
import { EventResults } from './event-results.ts'
import { readAddress, readSubmission } from './read-submission.ts'
import type { EventRequest } from './submission/pending-submission.ts'
import { AddressedSubmission, type SubmissionFields, SubmissionHeaders } from './submission-bodies.ts'
import { submitLines } from './submit-lines.ts'

const RESULT = Type.Object(
  {
    status: Type.Integer({
      description: '201 recorded, 200 recorded before; 204 for either with `Prefer: return=minimal`.',
    }),
    event: Type.Optional(EventRef),
    claim: Type.Optional(Type.Unsafe({ anyOf: [ref(ClaimSummaryBody), ref(CandidateSummaryBody)] })),
  },
  { title: 'EventResult' },
)

const ANSWER = {
  description: 'A result for each.',
  schema: batchAnswer(RESULT),
  line: batchResult(RESULT),
}

const DESCRIPTION =
  'Up to 1000 submissions in `events`. Each stands alone: one that is refused does not touch the others, and its ' +
  'result holds the error that the single form answers. Those to one claim are taken in their order.'

/** The same path with lines of JSON, for the document. */
export const EVENT_LINES: Stream = {
  mediaType: NDJSON,
  operationId: 'submitEventLines',
  summary: 'Submit a stream of events',
  description: `POST /v1/events/batch with \`Content-Type: ${NDJSON}\` (or \`application/ndjson\`, \`application/jsonl\`): one submission a line, any number of them. The results come line by line, in the order of the submissions, each as soon as it is available.`,
}

/** Many submissions in one request. In a scope of its own: no other route takes NDJSON. */
export async function addEventBatchRoute(
  server: TypedServer,
  app: App,
  compile: FastifySchemaCompiler<object>,
): Promise<void> {
  await server.register(async (scope: TypedServer) => {
    scope.addContentTypeParser([...NDJSON_TYPES], async (request: FastifyRequest, lines: Readable) => {
      refuseEncoding(request)
      mayLast(request.raw)
      return lines
    })
    scope.route(submitEventsRoute(app, compile))
  })
}

function submitEventsRoute(app: App, compile: FastifySchemaCompiler<object>) {
  const readItem = itemReader<JsonObject & SubmissionFields>(compile, AddressedSubmission)
  return route({
    method: 'POST',
    url: '/v1/events/batch',
    ...inTurnToTell,
    bodyLimit: BATCH_BODY_LIMIT,
    config: { items: { name: 'events', most: MAX_ITEMS, oneByOne: true }, swaggerTransform: withLines },
    validatorCompiler: validateEnvelope(compile, 'events'),
    schema: {
      operationId: 'submitEvents',
      summary: 'Submit events',
      description: DESCRIPTION,
      tags: ['Events'],
      headers: SubmissionHeaders,
      body: batchBody('events', AddressedSubmission),
      response: responses({ 200: ANSWER }, BODY_ERRORS),
    },
    handler: async (request, reply) => {
      const key = keyOf(request)
      const read = (item: Item, place: number) =>
        readRequest(request, readItem(item), key === null ? null : idAt(key, place))
      const results = new EventResults(app, request)
      results.endWith(reply)
      const body: unknown = request.body
      if (body instanceof Readable) {
        return reply.type(NDJSON).send(Readable.from(submitLines(body, request, read, results)))
      }
      const items = request.body.events as Item[]
      const readNext = (item: Item, place: number) => {
        try {
          request.rate?.takeItem()
          return read(item, place)
        } catch (error) {
          return error as Error
        }
      }
      await request.rate?.reserve(items.length)
      return sendJson(reply, { results: results.tell(await results.ofAll(items, readNext)) })
    },
  })
}

/** The id of an event that has none, within the length limit of ids. */
function idAt(key: string, place: number): string {
  const id = `${key}.${place}`
  return id.length <= MAX_EVENT_NAME_LENGTH
    ? id
    : `${createHash('sha256').update(key).digest('hex')}.${place}`
}

/** The document tells of both bodies. Of a stream the route validates each line by itself. */
const withLines: SwaggerTransform = ({ schema, url }) => {
  const content = { 'application/json': { schema: schema.body }, [NDJSON]: linesOf(AddressedSubmission) }
  return { schema: { ...schema, body: { content } }, url }
}

const readRequest = (
  request: FastifyRequest,
  body: JsonObject & SubmissionFields,
  id: string | null,
): EventRequest => ({
  userId: request.userId,
  span: request.told?.span,
  address: readAddress(body),
  ...readSubmission(body, id),
})
