import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../app/app.ts'
import { submitEvent } from '../../app/submit-event.ts'
import type { Json, JsonObject } from '../../domain/json.ts'
import { ServiceError } from '../../errors.ts'
import { answerLines } from '../answer-lines.ts'
import {
  BATCH_BODY_LIMIT,
  batchAnswer,
  batchBody,
  errorResult,
  itemReader,
  validateEnvelope,
} from '../batch.ts'
import { mayLast } from '../connection.ts'
import { refuseEncoding } from '../error-response.ts'
import { parseBytes } from '../parse-json.ts'
import { presentEither, presentEvent } from '../present.ts'
import { type Line, readLines, TOO_LONG } from '../read-lines.ts'
import { prefersMinimal, readAddress, readSubmission } from '../read-submission.ts'
import { CandidateSummaryBody, ClaimSummaryBody, EventRef } from '../schemas/claim.ts'
import { BODY_ERRORS, ref, responses } from '../schemas/responses.ts'
import { AddressedSubmission, PreferHeader, type SubmissionFields } from '../schemas/submission.ts'
import type { TypedServer } from '../typed-server.ts'

const NDJSON = 'application/x-ndjson'
/** Bytes of a line, as of the body of the single form. */
const MAX_LINE_BYTES = 1024 * 1024

const RESULT = Type.Object({
  status: Type.Integer({
    description: '201 recorded, 200 recorded before; 204 for either with `Prefer: return=minimal`.',
  }),
  event: Type.Optional(EventRef),
  claim: Type.Optional(Type.Unsafe({ anyOf: [ref(ClaimSummaryBody), ref(CandidateSummaryBody)] })),
})

const DESCRIPTION =
  'Up to 1000 submissions in `events`. Each stands alone: one that is refused does not touch the others, and its ' +
  'result holds the error that the single form answers. Those to one claim are taken in their order.\n\n' +
  `As \`${NDJSON}\` it is one submission a line, any number of them, and the results come back line by line, each as soon as it and all before it are there.`

/** Many submissions in one request. */
export async function addEventBatchRoute(server: TypedServer, app: App): Promise<void> {
  // In a scope of its own: no other route takes NDJSON.
  await server.register(async (scope: TypedServer) => {
    scope.addContentTypeParser(NDJSON, async (request: FastifyRequest, lines: Readable) => {
      refuseEncoding(request)
      mayLast(request.raw)
      return lines
    })
    const readItem = itemReader<JsonObject & SubmissionFields>(server, AddressedSubmission)
    scope.post(
      '/v1/events/batch',
      {
        bodyLimit: BATCH_BODY_LIMIT,
        config: { batchOf: 'events' },
        validatorCompiler: validateEnvelope(server, 'events'),
        schema: {
          operationId: 'submitEvents',
          summary: 'Submit events',
          description: DESCRIPTION,
          consumes: ['application/json', NDJSON],
          tags: ['Events'],
          headers: PreferHeader,
          body: batchBody('events', AddressedSubmission),
          response: responses(
            { 200: { description: 'A result for each.', schema: batchAnswer(RESULT) } },
            BODY_ERRORS,
          ),
        },
      },
      async (request, reply) => {
        const answer = (item: () => Json) => resultOf(app, request, () => readItem(item()))
        const body: unknown = request.body
        if (body instanceof Readable) {
          const answerLine = async (line: Line) => `${JSON.stringify(await answer(() => parseLine(line)))}\n`
          return reply
            .type(NDJSON)
            .send(Readable.from(answerLines(readLines(body, MAX_LINE_BYTES), answerLine)))
        }
        const results = request.body.events.map((item) => answer(() => item))
        return { results: await Promise.all(results) }
      },
    )
  })
}

/** Everything up to the submission happens at once, so submissions are made in the order of the calls. */
async function resultOf(
  app: App,
  request: FastifyRequest,
  read: () => JsonObject & SubmissionFields,
): Promise<object> {
  try {
    const body = read()
    const { event, claim, replayed } = await submitEvent(app, {
      userId: request.userId,
      address: readAddress(body),
      ...readSubmission(body),
    })
    if (prefersMinimal(request)) return { status: 204 }
    return { status: replayed ? 200 : 201, event: presentEvent(event), claim: presentEither(claim) }
  } catch (error) {
    return errorResult(error, request)
  }
}

/** As an item of a batch: `readItem` asks whether it can be kept. */
function parseLine(line: Line): Json {
  if (line === TOO_LONG) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB.`,
    )
  }
  return parseBytes(line)
}
