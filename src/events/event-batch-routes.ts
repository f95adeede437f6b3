import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { SwaggerTransform } from '@fastify/swagger'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { CandidateSummaryBody, ClaimSummaryBody, EventRef, LateBy } from '../claims/claim-bodies.ts'
import { MAX_NAME_LENGTH } from '../core/limits.ts'
import { keyOf } from '../idempotency/idempotency-key.ts'
import type { JsonObject } from '../kernel/json.ts'
import { limitBatches } from '../platform/http/admission/in-progress.ts'
import type { Item } from '../platform/http/bodies/parse-json.ts'
import { allowLongBody } from '../platform/http/connections/connection.ts'
import { MAX_BATCH_BODY_BYTES, MAX_BATCH_ITEMS } from '../platform/http/limits.ts'
import type { Stream } from '../platform/http/openapi/split-streams.ts'
import {
  batchAnswer,
  batchBody,
  batchResult,
  itemReader,
  validateEnvelope,
} from '../platform/http/responses/batch.ts'
import { refuseEncoding } from '../platform/http/responses/error-response.ts'
import { sendJson } from '../platform/http/responses/json-stream.ts'
import {
  BODY_ERRORS,
  linesOf,
  NDJSON,
  NDJSON_TYPES,
  ref,
  responses,
} from '../platform/http/responses/responses.ts'
import { route, type TypedServer } from '../platform/http/route.ts'
import { EventResults } from './event-results.ts'
import { readEventRequest } from './read-submission.ts'
import { AddressedSubmission, type SubmissionFields, SubmissionHeaders } from './submission-bodies.ts'
import { submitLines } from './submit-lines.ts'

const RESULT = Type.Object(
  {
    status: Type.Integer({
      description: '201 recorded, 200 recorded before. 204 for both with `Prefer: return=minimal`.',
    }),
    event: Type.Optional(EventRef),
    late_by: LateBy,
    claim: Type.Optional(Type.Unsafe({ anyOf: [ref(ClaimSummaryBody), ref(CandidateSummaryBody)] })),
  },
  { title: 'EventResult' },
)

const ANSWER = {
  description: 'One result per submission.',
  schema: batchAnswer(RESULT),
  line: batchResult(RESULT),
}

const DESCRIPTION =
  'Up to 1000 submissions in `events`. Each is decided on its own: a refused submission does not affect the others, and its ' +
  'result has the error of the single form. Submissions to one claim are decided in order.'

/** The same path with lines of JSON, for the OpenAPI document. */
export const EVENT_LINES: Stream = {
  mediaType: NDJSON,
  operationId: 'submitEventLines',
  summary: 'Submit a stream of events',
  description: `POST /v1/events/batch with \`Content-Type: ${NDJSON}\` (or \`application/ndjson\`, \`application/jsonl\`): one submission per line, any number of lines. The results are streamed line by line, in the order of the submissions, each as soon as it is available.`,
}

/** Many submissions in one request. A scope of its own, because no other route accepts NDJSON. */
export async function addEventBatchRoute(
  server: TypedServer,
  app: App,
  compile: FastifySchemaCompiler<object>,
): Promise<void> {
  await server.register(async (scope: TypedServer) => {
    scope.addContentTypeParser([...NDJSON_TYPES], async (request: FastifyRequest, lines: Readable) => {
      refuseEncoding(request)
      allowLongBody(request.raw)
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
    ...limitBatches,
    bodyLimit: MAX_BATCH_BODY_BYTES,
    config: {
      items: { name: 'events', maxItems: MAX_BATCH_ITEMS, isStreamed: true },
      swaggerTransform: withLines,
    },
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
        readEventRequest(request, readItem(item), key === null ? null : idAtPlace(key, place))
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
      return sendJson(reply, { results: results.stream(await results.submitAll(items, readNext)) })
    },
  })
}

/** The id of an event without one, within the length limit of ids. */
function idAtPlace(key: string, place: number): string {
  const id = `${key}.${place}`
  return id.length <= MAX_NAME_LENGTH ? id : `${createHash('sha256').update(key).digest('hex')}.${place}`
}

/** Documents both bodies. The route validates each line of a stream on its own. */
const withLines: SwaggerTransform = ({ schema, url }) => {
  const content = { 'application/json': { schema: schema.body }, [NDJSON]: linesOf(AddressedSubmission) }
  return { schema: { ...schema, body: { content } }, url }
}
