import { type Static, Type } from 'typebox'
import { getToday } from '../accounts/me.ts'
import type { App } from '../app.ts'
import { ExplanationBody } from '../contracts/contract-bodies.ts'
import { MAX_NAME_LENGTH } from '../core/limits.ts'
import { creationRoute, IDEMPOTENCY_ERRORS } from '../idempotency/idempotency-key.ts'
import { memoryOf } from '../platform/http/admission/request-memory.ts'
import { etagHeader, IfNoneMatchHeader, isNotModified } from '../platform/http/responses/entity-tags.ts'
import { CandidateAlias } from '../platform/http/responses/field-schemas.ts'
import { sendJson } from '../platform/http/responses/json-stream.ts'
import { exportQuery, listQuery } from '../platform/http/responses/lists.ts'
import { ETAG, LOCATION, NOT_MODIFIED, ref, responses } from '../platform/http/responses/responses.ts'
import { CANDIDATE_COLUMNS, CSV_RESPONSE, sendCsv } from '../platform/http/responses/send-csv.ts'
import { type Route, route } from '../platform/http/route.ts'
import {
  CandidateBody,
  CandidateSummaryBody,
  CreatedCandidateBody,
  NewCandidateBody,
} from './claim-bodies.ts'
import { CANDIDATE_FILTERS, countedPageOf, readFilters, readPageQuery, TOTAL } from './claim-filters.ts'
import { logCreatedClaim } from './claim-of-request.ts'
import { createCandidate } from './create/create-candidates.ts'
import { explainClaim, getClaim } from './get-claim.ts'
import { type CandidateFilters, exportCandidates, listCandidates } from './list-candidates.ts'
import type { Sorted } from './list-filters.ts'
import {
  presentCandidate,
  presentClaimPage,
  presentExplanation,
  presentLog,
  tagOf,
  withStoredJson,
} from './present-claim.ts'
import { readNewCandidate } from './read-new-claim.ts'

const tags = ['Candidates']

const AFTER = Type.String({
  minLength: 8,
  maxLength: MAX_NAME_LENGTH,
  description: 'Cursor, exclusive: next_cursor of the previous page, or a candidate_alias.',
})

export const candidateRoutes = (app: App): Route[] => [
  createCandidateRoute(app),
  listCandidatesRoute(app),
  exportCandidatesRoute(app),
  getCandidateRoute(app),
  explainCandidateRoute(app),
]

const createCandidateRoute = (app: App) =>
  creationRoute(app, {
    method: 'POST',
    url: '/v1/candidates',
    schema: {
      operationId: 'createCandidate',
      summary: 'Create a candidate',
      description:
        'Opens a claim that is addressed by an alias of the caller’s choice. Aliases are unique over all accounts: CANDIDATE_ALIAS_CONFLICT means that this account or another has the alias. An account learns of about 100 aliases of other accounts per minute. Then the answer for an alias of another account is RATE_LIMITED.',
      tags,
      body: NewCandidateBody,
      response: responses(
        {
          201: {
            description: 'The candidate, OPEN.',
            headers: { ...LOCATION, ...ETAG },
            schema: ref(CreatedCandidateBody),
          },
        },
        [
          ...IDEMPOTENCY_ERRORS,
          'CUSTOMER_NOT_FOUND',
          'SCHEMA_NOT_FOUND',
          'CALENDAR_NOT_FOUND',
          'CALENDAR_VERSION_NOT_FOUND',
          'TEST_CLOCK_NOT_FOUND',
          'CANDIDATE_ALIAS_CONFLICT',
        ],
      ),
    },
    create: async (request, key) => {
      const candidate = await createCandidate(
        app,
        request.userId,
        readNewCandidate(request.body),
        memoryOf(request),
        key,
      )
      logCreatedClaim(app, request, candidate)
      const path = `/v1/candidates/${encodeURIComponent(request.body.candidate_alias)}`
      const headers = { Location: path, ...etagHeader(tagOf(candidate)) }
      const hints = await app.contractHints.hintsField(
        app.db.reads.for(request.userId),
        request.userId,
        candidate.contract,
      )
      return { status: 201, headers, body: { ...presentCandidate(candidate), events: [], hints } }
    },
  })

const listCandidatesRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/candidates',
    schema: {
      operationId: 'listCandidates',
      summary: 'List candidates',
      description:
        'The account’s candidates in the order of their creation, without their event logs (§4.2).',
      tags,
      querystring: listQuery({ ...CANDIDATE_FILTERS, ...TOTAL }, AFTER),
      response: responses(
        { 200: { description: 'A page.', schema: countedPageOf(CandidateSummaryBody) } },
        [],
      ),
    },
    handler: async (request, reply) => {
      const page = await listCandidates(app, { ...filtersOf(request), ...readPageQuery(request.query) })
      return sendJson(reply, presentClaimPage(page, presentCandidate))
    },
  })

const exportCandidatesRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/candidates/export',
    schema: {
      operationId: 'exportCandidates',
      summary: 'Export candidates',
      description:
        'All candidates of the filtered list as CSV, without contracts and logs. The filters are those of the list.',
      tags,
      querystring: exportQuery(CANDIDATE_FILTERS),
      response: responses({ 200: CSV_RESPONSE }, []),
    },
    handler: async (request, reply) => {
      const { order = 'asc' } = request.query
      const pages = exportCandidates(app, { ...filtersOf(request), order })
      const today = await getToday(app, request.userId)
      return sendCsv(reply, `candidates-${today}`, CANDIDATE_COLUMNS, pages)
    },
  })

const getCandidateRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/candidates/:candidate_alias',
    schema: {
      operationId: 'getCandidate',
      summary: 'Read a candidate',
      description: 'The candidate with its event log, system events included (§4.2).',
      tags,
      params: Type.Object({ candidate_alias: CandidateAlias }),
      headers: IfNoneMatchHeader,
      response: responses(
        {
          200: { description: 'The candidate.', headers: ETAG, schema: ref(CandidateBody) },
          ...NOT_MODIFIED,
        },
        ['CANDIDATE_NOT_FOUND', 'CLAIM_ARCHIVED'],
      ),
    },
    handler: async (request, reply) => {
      const alias = request.params.candidate_alias
      const { claim, log } = await getClaim(app, request.userId, { kind: 'candidate', alias })
      if (isNotModified(request, reply, tagOf(claim))) return reply.send()
      return sendJson(reply, { ...presentCandidate(withStoredJson(claim)), events: presentLog(log) })
    },
  })

const explainCandidateRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/candidates/:candidate_alias/explanation',
    schema: {
      operationId: 'explainCandidate',
      summary: 'Explain a candidate',
      description:
        'The condition with what satisfies each node, and every transition so far with its reason.',
      tags,
      params: Type.Object({ candidate_alias: CandidateAlias }),
      response: responses({ 200: { description: 'The explanation.', schema: ref(ExplanationBody) } }, [
        'CANDIDATE_NOT_FOUND',
        'CLAIM_ARCHIVED',
      ]),
    },
    handler: async (request) =>
      presentExplanation(
        await explainClaim(app, request.userId, { kind: 'candidate', alias: request.params.candidate_alias }),
      ),
  })

interface FilteredRequest {
  userId: string
  query: Static<ReturnType<typeof exportQuery<typeof CANDIDATE_FILTERS>>>
}

const filtersOf = ({ userId, query }: FilteredRequest): CandidateFilters & Sorted => ({
  ...readFilters(userId, query),
  customerExternalId: query.customer_uuid,
  search: query.search,
})
