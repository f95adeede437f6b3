import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { CandidateSummaryBody, ClaimSummaryBody, EventRef, LateBy } from '../claims/claim-bodies.ts'
import { claimIdOf } from '../claims/claim-ids.ts'
import { lateByOf, presentEither, presentRecorded } from '../claims/present-claim.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import { keyOf } from '../idempotency/idempotency-key.ts'
import { type ErrorCode, validationError } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/json.ts'
import { CandidateAlias, Uuid } from '../platform/http/responses/field-schemas.ts'
import { JsonText, toJsonInTurn } from '../platform/http/responses/json-stream.ts'
import { BODY_ERRORS, ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import { MAX_SYNC_CONTRACT_BYTES } from './limits.ts'
import { readEventRequest } from './read-submission.ts'
import {
  AddressedSubmission,
  addressOf,
  prefersMinimal,
  Submission as SubmissionBody,
  type SubmissionFields,
  SubmissionHeaders,
} from './submission-bodies.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

const EVENT_ERRORS: ErrorCode[] = [
  ...BODY_ERRORS,
  'EVENT_ID_CONFLICT',
  'EVENT_ID_REQUIRED',
  'CLAIM_ARCHIVED',
  'CLAIM_NOT_OPEN',
  'EVENT_LIMIT_REACHED',
]

const REPLAYED = {
  'Idempotent-Replayed': { type: 'string', description: 'true if the event was recorded before' },
} as const

const description =
  'Records the event and decides the claim, in one atomic operation. The response has the claim after the decision. ' +
  'The same `id` with the same content can be sent again at any time: the response is 200 with the recorded event. ' +
  'An `Idempotency-Key` is the `id` of an event without one.'

/** §4.3: three paths, one operation. */
export const eventRoutes = (app: App): Route[] => [
  submitEventRoute(app),
  submitClaimEventRoute(app),
  submitCandidateEventRoute(app),
]

const submitEventRoute = (app: App) =>
  route({
    method: 'POST',
    url: '/v1/events',
    schema: {
      ...documentation('submitEvent', 'Submit an event', ['CLAIM_NOT_FOUND', 'CANDIDATE_NOT_FOUND']),
      body: AddressedSubmission,
    },
    handler: (request, reply) => answerSubmission(app, addressOf(request.body), request, reply),
  })

const submitClaimEventRoute = (app: App) =>
  route({
    method: 'POST',
    url: '/v1/claims/:id/events',
    schema: {
      ...documentation('submitClaimEvent', 'Submit an event to a claim', ['CLAIM_NOT_FOUND']),
      params: Type.Object({ id: Uuid('The claim.') }),
      body: SubmissionBody,
    },
    handler: (request, reply) => {
      const id = request.params.id.toLowerCase()
      const { claim_id, candidate_alias } = request.body
      if (claim_id !== undefined && claim_id.toLowerCase() !== id) throw namesAnother('claim_id')
      if (candidate_alias !== undefined) throw namesAnother('candidate_alias')
      return answerSubmission(app, { kind: 'claim', id }, request, reply)
    },
  })

const submitCandidateEventRoute = (app: App) =>
  route({
    method: 'POST',
    url: '/v1/candidates/:candidate_alias/events',
    schema: {
      ...documentation('submitCandidateEvent', 'Submit an event to a candidate', ['CANDIDATE_NOT_FOUND']),
      params: Type.Object({ candidate_alias: CandidateAlias }),
      body: SubmissionBody,
    },
    handler: (request, reply) => {
      const alias = request.params.candidate_alias
      const { claim_id, candidate_alias } = request.body
      if (candidate_alias !== undefined && candidate_alias !== alias) throw namesAnother('candidate_alias')
      if (claim_id !== undefined) throw namesAnother('claim_id')
      return answerSubmission(app, { kind: 'candidate', alias }, request, reply)
    },
  })

function documentation(operationId: string, summary: string, notFound: ErrorCode[]) {
  const answer = Type.Object(
    {
      event: EventRef,
      late_by: LateBy,
      claim: Type.Unsafe({ anyOf: [ref(ClaimSummaryBody), ref(CandidateSummaryBody)] }),
    },
    { title: 'RecordedEvent' },
  )
  return {
    operationId,
    summary,
    description,
    tags: ['Events'],
    headers: SubmissionHeaders,
    response: responses(
      {
        200: {
          description: 'The event was recorded before. Nothing was done now.',
          headers: REPLAYED,
          schema: answer,
        },
        201: {
          description: 'Recorded. The claim or candidate after the decision.',
          schema: answer,
        },
        204: {
          description: 'Recorded, now or before. With `Prefer: return=minimal`.',
          headers: { 'Preference-Applied': { type: 'string', description: 'return=minimal' }, ...REPLAYED },
        },
      },
      [...EVENT_ERRORS, ...notFound],
    ),
  }
}

const namesAnother = (path: string) =>
  validationError([{ path, message: 'names another claim or candidate than the path' }])

async function answerSubmission(
  app: App,
  address: ClaimAddress,
  request: FastifyRequest<{ Body: JsonObject & SubmissionFields }>,
  reply: FastifyReply,
) {
  if (request.logContext) request.logContext.claimId = claimIdOf(address)
  const submission = readEventRequest(request, request.body, keyOf(request), address)
  const { event, claim, contractBytes, replayed } = await app.submissions.submit(submission)

  if (replayed) reply.header('Idempotent-Replayed', 'true')
  if (prefersMinimal(request)) {
    return reply.code(204).header('Preference-Applied', 'return=minimal').send()
  }
  reply.code(replayed ? 200 : 201)
  const answer = {
    event: presentRecorded(event),
    late_by: lateByOf(claim, event),
    claim: presentEither(claim),
  }
  const isShort = contractBytes <= MAX_SYNC_CONTRACT_BYTES && !(answer.event instanceof JsonText)
  return isShort
    ? reply.send(answer)
    : reply.type(JSON_TYPE).send(await toJsonInTurn(() => JsonText.ofObject(answer)))
}
