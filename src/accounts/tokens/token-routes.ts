import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { IDEMPOTENCY_ERRORS, idempotentRoute } from '../../idempotency/idempotency-key.ts'
import { readTime, Uuid } from '../../platform/http/responses/field-schemas.ts'
import { sendJson } from '../../platform/http/responses/json-stream.ts'
import { presentEach } from '../../platform/http/responses/lists.ts'
import { BODY_ERRORS, ref, responses } from '../../platform/http/responses/responses.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { ApiTokenBody, CreatedApiTokenBody, NewApiTokenBody } from '../account-bodies.ts'
import { requireSession } from '../identity/authenticate.ts'
import { MAX_ACTIVE_TOKENS_PER_ACCOUNT, MAX_ENDED_TOKENS_PER_ACCOUNT } from '../limits.ts'
import { presentApiToken } from '../present-account.ts'
import { createOwnToken, listOwnTokens, revokeOwnToken } from './tokens.ts'

/** API tokens are not accepted: a token must not create tokens. */
const security = [{ session: [] }]
const tags = ['Tokens']

export const tokenRoutes = (app: App): Route[] => [
  createOwnTokenRoute(app),
  listOwnTokensRoute(app),
  revokeOwnTokenRoute(app),
]

const createOwnTokenRoute = (app: App) =>
  idempotentRoute(app, {
    hasSecret: true,
    method: 'POST',
    url: '/v1/tokens',
    onRequest: requireSession,
    schema: {
      security,
      operationId: 'createOwnToken',
      summary: 'Create an API token',
      description: `The token gives access to the whole account. Only this response contains it. Revoking the session that created the token revokes the token. An account has at most ${MAX_ACTIVE_TOKENS_PER_ACCOUNT.toLocaleString('en')} active tokens.`,
      tags,
      body: NewApiTokenBody,
      response: responses({ 201: { description: 'The token.', schema: ref(CreatedApiTokenBody) } }, [
        ...IDEMPOTENCY_ERRORS,
        'SESSION_REQUIRED',
        'TOKEN_LIMIT_REACHED',
      ]),
    },
    answer: async (context, request) => {
      const { name, expires_at: expires } = request.body
      const { token, secret } = await createOwnToken(context, {
        sessionId: request.sessionId as string,
        name,
        expiresAt: expires === undefined ? null : readTime(expires),
      })
      return { status: 201, body: { ...presentApiToken(token), token: secret } }
    },
  })

const listOwnTokensRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/tokens',
    onRequest: requireSession,
    schema: {
      security,
      operationId: 'listOwnTokens',
      summary: 'List API tokens',
      description: `The account’s tokens, newest first. Of expired or revoked tokens, the newest ${MAX_ENDED_TOKENS_PER_ACCOUNT.toLocaleString('en')} are kept.`,
      tags,
      querystring: Type.Object({}, { additionalProperties: false }),
      response: responses(
        {
          200: { description: 'The tokens.', schema: Type.Object({ data: Type.Array(ref(ApiTokenBody)) }) },
        },
        ['SESSION_REQUIRED'],
      ),
    },
    handler: (request, reply) =>
      sendJson(reply, { data: presentEach(listOwnTokens(app, request.userId), presentApiToken) }),
  })

const revokeOwnTokenRoute = (app: App) =>
  route({
    method: 'DELETE',
    url: '/v1/tokens/:id',
    onRequest: requireSession,
    schema: {
      security,
      operationId: 'revokeOwnToken',
      summary: 'Revoke an API token',
      description: 'The token stops working at once, on every server. Revoking twice changes nothing.',
      tags,
      params: Type.Object({ id: Uuid('The token’s id.') }),
      response: responses({ 204: { description: 'Revoked.' } }, [
        ...BODY_ERRORS,
        'SESSION_REQUIRED',
        'TOKEN_NOT_FOUND',
      ]),
    },
    handler: async (request, reply) => {
      await revokeOwnToken(app, request.userId, request.params.id.toLowerCase())
      return reply.code(204).send()
    },
  })
