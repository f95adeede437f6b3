import { type Static, type TSchema, Type } from 'typebox'
import { getToday } from '../accounts/me.ts'
import type { App } from '../app.ts'
import { ExplanationBody } from '../contracts/contract-bodies.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import { creationRoute, IDEMPOTENCY_ERRORS, idempotentRoute } from '../idempotency/idempotency-key.ts'
import { memoryOf } from '../platform/http/admission/request-memory.ts'
import { MetadataChangeBody } from '../platform/http/bodies/metadata-bodies.ts'
import {
  etagHeader,
  expectedVersions,
  IfMatchHeader,
  IfNoneMatchHeader,
  isNotModified,
  versionOfTag,
} from '../platform/http/responses/entity-tags.ts'
import { CandidateAlias, Uuid } from '../platform/http/responses/field-schemas.ts'
import { sendJson } from '../platform/http/responses/json-stream.ts'
import { exportQuery, listQuery } from '../platform/http/responses/lists.ts'
import { ETAG, LOCATION, NOT_MODIFIED, ref, responses } from '../platform/http/responses/responses.ts'
import { CLAIM_COLUMNS, CSV_RESPONSE, sendCsv } from '../platform/http/responses/send-csv.ts'
import { type Route, route } from '../platform/http/route.ts'
import { changeMetadataOf } from './change-metadata.ts'
import {
  CandidateSummaryBody,
  ClaimBody,
  ClaimSummaryBody,
  CreatedClaimBody,
  NewClaimBody,
} from './claim-bodies.ts'
import { CLAIM_FILTERS, countedPageOf, readFilters, readPageQuery, TOTAL } from './claim-filters.ts'
import { logCreatedClaim } from './claim-of-request.ts'
import { createClaim } from './create/create-claims.ts'
import { exportClaims } from './export-claims.ts'
import { explainClaim, getClaim } from './get-claim.ts'
import { type ClaimFilters, listClaims } from './list-claims.ts'
import type { Sorted } from './list-filters.ts'
import {
  presentClaim,
  presentClaimPage,
  presentExplanation,
  presentLog,
  presentStored,
  tagOf,
  withStoredJson,
} from './present-claim.ts'
import { readNewClaim } from './read-new-claim.ts'

const tags = ['Claims']

export const claimRoutes = (app: App): Route[] => [
  createClaimRoute(app),
  listClaimsRoute(app),
  exportClaimsRoute(app),
  getClaimRoute(app),
  explainClaimRoute(app),
]

const createClaimRoute = (app: App) =>
  creationRoute(app, {
    method: 'POST',
    url: '/v1/claims',
    schema: {
      operationId: 'createClaim',
      summary: 'Create a claim',
      description:
        'Opens a claim with an immutable contract. The contract is given, or copied from a schema.',
      tags,
      body: NewClaimBody,
      response: responses(
        {
          201: {
            description: 'The claim, OPEN.',
            headers: { ...LOCATION, ...ETAG },
            schema: ref(CreatedClaimBody),
          },
        },
        [
          ...IDEMPOTENCY_ERRORS,
          'CUSTOMER_NOT_FOUND',
          'SCHEMA_NOT_FOUND',
          'CALENDAR_NOT_FOUND',
          'CALENDAR_VERSION_NOT_FOUND',
          'TEST_CLOCK_NOT_FOUND',
          'CLAIM_REFERENCE_CONFLICT',
        ],
      ),
    },
    create: async (request, key) => {
      const { userId, body } = request
      const claim = await createClaim(app, userId, readNewClaim(body), memoryOf(request), key)
      logCreatedClaim(app, request, claim)
      const headers = { Location: `/v1/claims/${claim.id}`, ...etagHeader(tagOf(claim)) }
      const hints = await app.contractHints.hintsField(app.db.reads.for(userId), userId, claim.contract)
      return { status: 201, headers, body: { ...presentClaim(claim), events: [], hints } }
    },
  })

const listClaimsRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/claims',
    schema: {
      operationId: 'listClaims',
      summary: 'List claims',
      description: 'The account’s claims in the order of their creation, without their event logs.',
      tags,
      querystring: listQuery({ ...CLAIM_FILTERS, ...TOTAL }),
      response: responses({ 200: { description: 'A page.', schema: countedPageOf(ClaimSummaryBody) } }, []),
    },
    handler: async (request, reply) => {
      const page = await listClaims(app, { ...filtersOf(request), ...readPageQuery(request.query) })
      return sendJson(reply, presentClaimPage(page, presentClaim))
    },
  })

const exportClaimsRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/claims/export',
    schema: {
      operationId: 'exportClaims',
      summary: 'Export claims',
      description:
        'All claims of the filtered list as CSV, without contracts and logs. The filters are those of the list.',
      tags,
      querystring: exportQuery(CLAIM_FILTERS),
      response: responses({ 200: CSV_RESPONSE }, []),
    },
    handler: async (request, reply) => {
      const { order = 'asc' } = request.query
      const pages = exportClaims(app, { ...filtersOf(request), order })
      const today = await getToday(app, request.userId)
      return sendCsv(reply, `claims-${today}`, CLAIM_COLUMNS, pages)
    },
  })

const getClaimRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/claims/:id',
    schema: {
      operationId: 'getClaim',
      summary: 'Read a claim',
      description: 'The claim with its event log, system events included.',
      tags,
      params: Type.Object({ id: Uuid('The claim.') }),
      headers: IfNoneMatchHeader,
      response: responses(
        { 200: { description: 'The claim.', headers: ETAG, schema: ref(ClaimBody) }, ...NOT_MODIFIED },
        ['CLAIM_NOT_FOUND', 'CLAIM_ARCHIVED'],
      ),
    },
    handler: async (request, reply) => {
      const id = request.params.id.toLowerCase()
      const { claim, log } = await getClaim(app, request.userId, { kind: 'claim', id })
      if (isNotModified(request, reply, tagOf(claim))) return reply.send()
      return sendJson(reply, { ...presentClaim(withStoredJson(claim)), events: presentLog(log) })
    },
  })

const explainClaimRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/claims/:id/explanation',
    schema: {
      operationId: 'explainClaim',
      summary: 'Explain a claim',
      description:
        'The condition with what satisfies each node, and every transition so far with its reason.',
      tags,
      params: Type.Object({ id: Uuid('The claim.') }),
      response: responses({ 200: { description: 'The explanation.', schema: ref(ExplanationBody) } }, [
        'CLAIM_NOT_FOUND',
        'CLAIM_ARCHIVED',
      ]),
    },
    handler: async (request) =>
      presentExplanation(
        await explainClaim(app, request.userId, { kind: 'claim', id: request.params.id.toLowerCase() }),
      ),
  })

interface ExportRequest {
  userId: string
  query: Static<ReturnType<typeof exportQuery<typeof CLAIM_FILTERS>>>
}

const filtersOf = ({ userId, query }: ExportRequest): ClaimFilters & Sorted => ({
  ...readFilters(userId, query),
  customerId: query.customer_id?.toLowerCase(),
  search: query.search,
  reference: query.reference,
})

/** Metadata is all that callers can change of claims and candidates. */
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

interface MetadataRouteOptions {
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

const changeRoute = (app: App, { url, operation, params, body, error, addressOf }: MetadataRouteOptions) =>
  idempotentRoute(app, {
    method: 'PATCH',
    url,
    schema: {
      ...operation,
      description: 'Sets or removes single keys, in any status (§2.14). No other field can be changed.',
      params,
      headers: IfMatchHeader,
      body: ChangeBody,
      response: responses(
        {
          200: { description: 'The changed record without its event log.', headers: ETAG, schema: ref(body) },
        },
        [...IDEMPOTENCY_ERRORS, error, 'CLAIM_ARCHIVED', 'PRECONDITION_FAILED'],
      ),
    },
    answer: async (context, request) => {
      const address = addressOf(request.params as Record<string, unknown>)
      const expected = expectedVersions(request.headers['if-match'], versionOfTag)
      const claim = await changeMetadataOf(context, address, request.body.metadata, expected)
      return { headers: etagHeader(tagOf(claim)), body: presentStored(claim) }
    },
  })
