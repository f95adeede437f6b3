import type { FastifySchemaCompiler } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { App } from '../app.ts'
import type { ClaimWithMetadata } from '../core/claims/claim.ts'
import type { Hint } from '../core/contracts/hints/hints.ts'
import { type CreationKey, creationRoute, IDEMPOTENCY_ERRORS } from '../idempotency/idempotency-key.ts'
import { RawJson } from '../kernel/json.ts'
import { runCooperatively } from '../platform/concurrency/cooperative.ts'
import { limitBatches } from '../platform/http/admission/in-progress.ts'
import { memoryOf } from '../platform/http/admission/request-memory.ts'
import type { Item } from '../platform/http/bodies/parse-json.ts'
import { MAX_BATCH_BODY_BYTES, MAX_BATCH_ITEMS } from '../platform/http/limits.ts'
import {
  batchAnswer,
  batchBody,
  errorResult,
  itemReader,
  validateEnvelope,
} from '../platform/http/responses/batch.ts'
import { ref, responses } from '../platform/http/responses/responses.ts'
import type { Route } from '../platform/http/route.ts'
import { CreatedCandidateBody, CreatedClaimBody, NewCandidateBody, NewClaimBody } from './claim-bodies.ts'
import { createCandidates } from './create/create-candidates.ts'
import { createClaims } from './create/create-claims.ts'
import type { CreatedClaim } from './create/create-claims-or-candidates.ts'
import { contractOf, type ReserveMemory } from './create/resolve-contract.ts'
import { presentCandidate, presentClaim } from './present-claim.ts'
import { type NewRequest, readNewCandidate, readNewClaim, withRawContract } from './read-new-claim.ts'

/** Creates up to a thousand claims or candidates per request. */
export const claimBatchRoutes = (app: App, compile: FastifySchemaCompiler<object>): Route[] => [
  createClaimsRoute(app, compile),
  createCandidatesRoute(app, compile),
]

const createClaimsRoute = (app: App, compile: FastifySchemaCompiler<object>) =>
  batchRoute(app, compile, {
    list: 'claims',
    one: 'claim',
    item: NewClaimBody,
    body: CreatedClaimBody,
    read: readNewClaim,
    create: createClaims,
    present: presentClaim,
    operation: { operationId: 'createClaims', summary: 'Create claims', tags: ['Claims'] },
  })

const createCandidatesRoute = (app: App, compile: FastifySchemaCompiler<object>) =>
  batchRoute(app, compile, {
    list: 'candidates',
    one: 'candidate',
    item: NewCandidateBody,
    body: CreatedCandidateBody,
    read: readNewCandidate,
    create: createCandidates,
    present: presentCandidate,
    operation: { operationId: 'createCandidates', summary: 'Create candidates', tags: ['Candidates'] },
  })

interface Batch<Body, Request extends NewRequest> {
  list: 'claims' | 'candidates'
  /** The field of a result that contains the record. */
  one: 'claim' | 'candidate'
  item: TSchema
  body: TSchema & { $id?: string }
  read: (body: Body, place: number) => Request
  create: (
    app: App,
    userId: string,
    requests: Request[],
    reserveMemory: ReserveMemory,
    key: CreationKey | null,
  ) => Promise<(CreatedClaim | Error)[]>
  present: (claim: ClaimWithMetadata) => object
  operation: { operationId: string; summary: string; tags: string[] }
}

const description =
  'Up to 1000 at once. Each outcome is its own: a refused item does not affect the others, and its result has the error of the single form.'

function batchRoute<Body, Request extends NewRequest>(
  app: App,
  compile: FastifySchemaCompiler<object>,
  batch: Batch<Body, Request>,
): Route {
  const { list, one } = batch
  const readItem = itemReader<Body>(compile, batch.item)
  const answer = batchAnswer(Type.Object({ status: Type.Literal(201), [one]: ref(batch.body) }))
  return creationRoute(app, {
    method: 'POST',
    url: `/v1/${list}/batch`,
    ...limitBatches,
    bodyLimit: MAX_BATCH_BODY_BYTES,
    config: { items: { name: list, maxItems: MAX_BATCH_ITEMS, isStreamed: true } },
    validatorCompiler: validateEnvelope(compile, list),
    schema: {
      ...batch.operation,
      description,
      body: batchBody(list, batch.item),
      response: responses(
        { 200: { description: 'One result per item.', schema: answer } },
        IDEMPOTENCY_ERRORS,
      ),
    },
    create: async (request, key) => {
      const items = (request.body as Record<string, Item[]>)[list] as Item[]
      const readNext = (item: Item, place: number) => {
        request.rate?.takeItem()
        const read = batch.read(readItem(item), place)
        return item instanceof RawJson ? withRawContract(read, item as RawJson<never>) : read
      }
      await request.rate?.reserve(items.length)
      const read = await runCooperatively(readEach(items, readNext))
      const valid = read.flatMap((request) => (request instanceof Error ? [] : request)) as Request[]
      const opened = await batch.create(app, request.userId, valid, memoryOf(request), key)
      const db = app.db.reads.for(request.userId)
      const hints = new Map<CreatedClaim, readonly Hint[] | undefined>()
      for (const claim of opened) {
        if (claim instanceof Error) continue
        hints.set(claim, await app.contractHints.hintsField(db, request.userId, contractOf(claim.contract)))
      }
      const created = opened.values()
      const toResult = (outcome: CreatedClaim | Error) => {
        const result =
          outcome instanceof Error
            ? errorResult(outcome, request)
            : {
                status: 201,
                [one]: { ...batch.present(withContract(outcome)), events: [], hints: hints.get(outcome) },
              }
        request.logContext?.count(result.status)
        return result
      }
      const outcomes = read.map((one) =>
        one instanceof Error ? one : (created.next().value as CreatedClaim | Error),
      )
      return { body: { results: outcomes.values().map(toResult) }, isLong: true }
    },
  })
}

const withContract = (claim: CreatedClaim): ClaimWithMetadata => ({
  ...claim,
  contract: contractOf(claim.contract),
})

/** The request of each item, or its error. One step per item. */
function* readEach<Request>(
  items: readonly Item[],
  read: (item: Item, place: number) => Request,
): Generator<void, (Request | Error)[]> {
  const requests: (Request | Error)[] = []
  for (const [place, item] of items.entries()) {
    requests.push(attempt(() => read(item, place)))
    yield
  }
  return requests
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work()
  } catch (error) {
    return error as Error
  }
}
