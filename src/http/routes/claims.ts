import { Type } from 'typebox'
import type { App } from '../../app/app.ts'
import { createClaim } from '../../app/create-claims.ts'
import { explainClaim } from '../../app/explain-claim.ts'
import { getClaim } from '../../app/get-claim.ts'
import { listClaims } from '../../app/list-claims.ts'
import { presentClaim, presentEvent, presentExplanation, presentPage } from '../present.ts'
import { readNewClaim } from '../read-new-claim.ts'
import { ClaimBody, ClaimSummaryBody, NewClaimBody } from '../schemas/claim.ts'
import { ExplanationBody } from '../schemas/explanation.ts'
import { listQuery, pageOf } from '../schemas/list.ts'
import { BODY_ERRORS, LOCATION, ref, responses } from '../schemas/responses.ts'
import { Status, Uuid } from '../schemas/scalars.ts'
import type { TypedServer } from '../typed-server.ts'

const tags = ['Claims']

export function addClaimRoutes(server: TypedServer, app: App): void {
  server.post(
    '/v1/claims',
    {
      schema: {
        operationId: 'createClaim',
        summary: 'Create a claim',
        description:
          'Opens a claim under a contract that never changes. The contract is given, or copied from a schema.',
        tags,
        body: NewClaimBody,
        response: responses(
          { 201: { description: 'The claim, OPEN.', headers: LOCATION, schema: ref(ClaimBody) } },
          [...BODY_ERRORS, 'CUSTOMER_NOT_FOUND', 'SCHEMA_NOT_FOUND', 'TEST_CLOCK_NOT_FOUND'],
        ),
      },
    },
    async (request, reply) => {
      const claim = await createClaim(app, request.userId, readNewClaim(request.body))
      return reply
        .code(201)
        .header('Location', `/v1/claims/${claim.id}`)
        .send({ ...presentClaim(claim), events: [] })
    },
  )

  server.get(
    '/v1/claims',
    {
      schema: {
        operationId: 'listClaims',
        summary: 'List claims',
        description: 'The account’s claims in the order of their creation, without their event logs.',
        tags,
        querystring: listQuery({
          status: Type.Optional(Status),
          customer_id: Type.Optional(Uuid('Only claims of this customer.')),
        }),
        response: responses({ 200: { description: 'A page.', schema: pageOf(ClaimSummaryBody) } }, []),
      },
    },
    async (request) => {
      const { status, customer_id, after, limit = 50, order = 'asc' } = request.query
      const customerId = customer_id?.toLowerCase()
      return presentPage(
        await listClaims(app, { userId: request.userId, status, customerId, after, limit, order }),
        presentClaim,
      )
    },
  )

  server.get(
    '/v1/claims/:id',
    {
      schema: {
        operationId: 'getClaim',
        summary: 'Read a claim',
        description: 'The claim with its event log, system events included.',
        tags,
        params: Type.Object({ id: Uuid('The claim.') }),
        response: responses({ 200: { description: 'The claim.', schema: ref(ClaimBody) } }, [
          'CLAIM_NOT_FOUND',
        ]),
      },
    },
    async (request) => {
      const id = request.params.id.toLowerCase()
      const { claim, log } = await getClaim(app, request.userId, { kind: 'claim', id })
      return { ...presentClaim(claim), events: log.map(presentEvent) }
    },
  )

  server.get(
    '/v1/claims/:id/explanation',
    {
      schema: {
        operationId: 'explainClaim',
        summary: 'Explain a claim',
        description:
          'The condition with what satisfies each node, and every transition so far with its reason.',
        tags,
        params: Type.Object({ id: Uuid('The claim.') }),
        response: responses({ 200: { description: 'The explanation.', schema: ref(ExplanationBody) } }, [
          'CLAIM_NOT_FOUND',
        ]),
      },
    },
    async (request) =>
      presentExplanation(
        await explainClaim(app, request.userId, { kind: 'claim', id: request.params.id.toLowerCase() }),
      ),
  )
}
