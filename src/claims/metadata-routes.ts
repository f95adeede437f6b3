import { type TSchema, Type } from 'typebox'
import type { App } from '../app.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import { ONCE_ERRORS, onceRoute } from '../idempotency/idempotency-key.ts'
import { MetadataChangeBody } from '../platform/http/bodies/metadata-bodies.ts'
import {
  expectedVersions,
  IfMatchHeader,
  tagged,
  versionOfTag,
} from '../platform/http/responses/entity-tags.ts'
import { ETAG, ref, responses } from '../platform/http/responses/responses.ts'
import { CandidateAlias, Uuid } from '../platform/http/responses/scalars.ts'
import type { Route } from '../platform/http/route.ts'
import { changeMetadataOf } from './change-metadata.ts'
import { CandidateSummaryBody, ClaimSummaryBody } from './claim-bodies.ts'
import { presentStored, tagOf } from './present-claim.ts'

/** What is noted about claims and candidates, which is all that callers can change of them. */
export const metadataChangeRoutes = (app: App): Route[] => [
  changeRoute(app, {
    url: '/v1/claims/:id',
    operation: { operationId: 'updateClaim', summary: 'Change the metadata of a claim', tags: ['Claims'] },
    params: Type.Object({ id: Uuid('The claim.') }),
    body: ClaimSummaryBody,
    error: 'CLAIM_NOT_FOUND',
    addressOf: ({ id }) => ({ kind: 'claim', id: `${id}`.toLowerCase() }),
  }),
  changeRoute(app, {
    url: '/v1/candidates/:candidate_alias',
    operation: {
      operationId: 'updateCandidate',
      summary: 'Change the metadata of a candidate',
      tags: ['Candidates'],
    },
    params: Type.Object({ candidate_alias: CandidateAlias }),
    body: CandidateSummaryBody,
    error: 'CANDIDATE_NOT_FOUND',
    addressOf: ({ candidate_alias: alias }) => ({ kind: 'candidate', alias: `${alias}` }),
  }),
]

interface Changed {
  url: string
  operation: { operationId: string; summary: string; tags: string[] }
  params: TSchema
  body: TSchema & { $id?: string }
  error: 'CLAIM_NOT_FOUND' | 'CANDIDATE_NOT_FOUND'
  addressOf: (params: Record<string, unknown>) => ClaimAddress
}

const ChangeBody = Type.Object(
  { metadata: MetadataChangeBody },
  { title: 'ChangedMetadata', additionalProperties: false },
)

const changeRoute = (app: App, { url, operation, params, body, error, addressOf }: Changed) =>
  onceRoute(app, {
    method: 'PATCH',
    url,
    schema: {
      ...operation,
      description:
        'Sets single keys, or takes them away, whatever the status is (§2.14). Nothing else of it can be changed.',
      params,
      headers: IfMatchHeader,
      body: ChangeBody,
      response: responses(
        { 200: { description: 'As it is now, without its event log.', headers: ETAG, schema: ref(body) } },
        [...ONCE_ERRORS, error, 'CLAIM_ARCHIVED', 'PRECONDITION_FAILED'],
      ),
    },
    answer: async (app, request) => {
      const address = addressOf(request.params as Record<string, unknown>)
      const expected = expectedVersions(request.headers['if-match'], versionOfTag)
      const claim = await changeMetadataOf(app, request.userId, address, request.body.metadata, expected)
      return { headers: tagged(tagOf(claim)), body: presentStored(claim) }
    },
  })
