import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { type TObject, Type } from 'typebox'
import type { App } from '../app.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { type Context, contextOf } from '../platform/database/context.ts'
import { withRule } from '../platform/http/bodies/describe-schema.ts'
import { sendJson } from '../platform/http/responses/json-stream.ts'
import { BODY_ERRORS } from '../platform/http/responses/responses.ts'
import { type Route, route, type TypedRoute } from '../platform/http/route.ts'
import { type Answer, doOnce, keyReused } from './do-once.ts'
import type { CreationKey, RequestKey } from './idempotency-key-store.ts'
import { MAX_KEY_LENGTH } from './limits.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body in hexadecimal digits, if the request has a body and a key. */
    bodyDigest: string
  }
}

const KEY = withRule(
  `^[\\x21-\\x7e]{1,${MAX_KEY_LENGTH}}$`,
  `1 to ${MAX_KEY_LENGTH} visible ASCII characters, without white space`,
)
const key = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: KEY,
      description: `${description} 1 to ${MAX_KEY_LENGTH} visible ASCII characters.`,
      examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    }),
  )

const KEY_HEADER = {
  'idempotency-key': key(
    'The caller’s name for the operation, such as a new UUID. The same request with the same key is executed once in 24 hours. Later requests get the response of the first.',
  ),
}

/** Header of routes that submit events. */
export const EVENT_KEY_HEADER = {
  'idempotency-key': key(
    'The `id` of an event without one. In a batch or a stream the id is the key, a dot and the index of the event, from 0 on.',
  ),
}

/** Null without a key. Validation has checked its form. */
export const keyOf = ({ headers }: FastifyRequest): string | null =>
  (headers['idempotency-key'] as string | undefined) ?? null

/** Must run before the body is parsed, because the parser may release the bytes. */
export function recordBodyDigest(request: FastifyRequest, bytes: Buffer): void {
  if (keyOf(request) !== null) request.bodyDigest = createHash('sha256').update(bytes).digest('hex')
}

/** `BODY_ERRORS` and the errors of the key. */
export const IDEMPOTENCY_ERRORS: ErrorCode[] = [
  ...BODY_ERRORS,
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_KEY_REUSED',
]

/** A response other than an error. */
interface Success {
  /** 200 if absent. */
  status?: number
  headers?: Record<string, string>
  body: object
  /** The body has a long list (see `sendJson`). */
  isLong?: true
}

type RequestOf<Schema extends FastifySchema> = Parameters<TypedRoute<Schema>['handler']>[0]

type OnceRoute<Schema extends FastifySchema> = Omit<TypedRoute<Schema>, 'handler'> & {
  /** Its writes on the context and its response are stored together or not at all. */
  answer: (context: Context, request: RequestOf<Schema>) => Promise<Success>
  /** The response has a secret: it is stored encrypted with the caller's credential. */
  hasSecret?: true
}

const REPLAYED = {
  'Idempotent-Replayed': {
    type: 'string',
    description: 'true if this is the response of an earlier request with the same `Idempotency-Key`',
  },
} as const

/** A route that executes a request with an Idempotency-Key once (§4.17). */
export function idempotentRoute<const Schema extends FastifySchema>(
  app: App,
  { answer, hasSecret, ...options }: OnceRoute<Schema>,
): Route {
  return keyedRoute(options, async (request, reply) => {
    const typed = request as RequestOf<Schema>
    const requestKey = requestKeyOf(request)
    const context = contextOf(app.db, request.userId)
    if (!requestKey) return send(reply, await answer(context, typed))
    const work = async (within: Context) => toAnswer(await answer(within, typed))
    const readableBy = hasSecret ? request.credential : null
    const { answer: response, isReplayed } = await doOnce(context, { ...requestKey, readableBy }, work)
    if (isReplayed) reply.header('Idempotent-Replayed', 'true')
    return reply.code(response.status).headers(response.headers).type(JSON_TYPE).send(response.text)
  })
}

function send(reply: FastifyReply, { status = 200, headers = {}, body, isLong }: Success) {
  reply.code(status).headers(headers)
  return isLong ? sendJson(reply, body as Record<string, unknown>) : reply.send(body)
}

const toAnswer = ({ status = 200, headers = {}, body }: Success): Answer => ({
  status,
  headers,
  text: JSON.stringify(body),
})

type CreationRoute<Schema extends FastifySchema> = Omit<TypedRoute<Schema>, 'handler'> & {
  create: (request: RequestOf<Schema>, key: CreationKey | null) => Promise<Success>
}

/** A route that creates claims or candidates, each once if the request has an Idempotency-Key (§4.17). */
export function creationRoute<const Schema extends FastifySchema>(
  app: App,
  { create, ...options }: CreationRoute<Schema>,
): Route {
  return keyedRoute(options, async (request, reply) => {
    const requestKey = requestKeyOf(request)
    const key = requestKey && (await beginCreation(app, requestKey))
    const created = await create(request as RequestOf<Schema>, key)
    if (key?.hasCreated) reply.header('Idempotent-Replayed', 'true')
    return send(reply, created)
  })
}

/** A route that documents the header of the key. */
function keyedRoute(options: object, handler: TypedRoute<FastifySchema>['handler']): Route {
  const { schema = {}, ...others } = options as TypedRoute<FastifySchema>
  return route({ ...others, schema: documented(schema), handler })
}

function requestKeyOf(request: FastifyRequest) {
  const key = keyOf(request)
  return key === null ? null : { userId: request.userId, key, digest: digestOf(request) }
}

function digestOf({ method, url, headers, bodyDigest }: FastifyRequest): Buffer {
  const parts = [method, url, headers['if-match'] ?? '', bodyDigest]
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/** The errors are documented by the route: see `IDEMPOTENCY_ERRORS`. */
function documented(schema: FastifySchema): FastifySchema {
  const { headers, response } = schema as {
    headers?: TObject
    response: Record<string, { headers?: object }>
  }
  const withReplayed = ([status, answer]: [string, { headers?: object }]) => [
    status,
    Number(status) < 300 ? { ...answer, headers: { ...answer.headers, ...REPLAYED } } : answer,
  ]
  return {
    ...schema,
    headers: Type.Object({ ...headers?.properties, ...KEY_HEADER }),
    response: Object.fromEntries(Object.entries(response).map(withReplayed)),
  }
}

export type { CreationKey } from './idempotency-key-store.ts'

/**
 * The seed from which the ids of a request's claims are derived (§4.17). A repeated or half executed request derives the same ids,
 * without a transaction over all of its claims.
 * @throws IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
async function beginCreation(app: App, requestKey: RequestKey): Promise<CreationKey> {
  const key = await app.creations.keys.submit(requestKey.userId, requestKey)
  if (!key) throw keyReused()
  return key
}
