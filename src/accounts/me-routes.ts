import type { App } from '../app.ts'
import { IDEMPOTENCY_ERRORS, idempotentRoute } from '../idempotency/idempotency-key.ts'
import { contextOf } from '../platform/database/context.ts'
import {
  etagHeader,
  expectedVersions,
  IfMatchHeader,
  IfNoneMatchHeader,
  sendWithETag,
} from '../platform/http/responses/entity-tags.ts'
import { ETAG, NOT_MODIFIED, ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import { AccountBody, AccountChangeBody } from './account-bodies.ts'
import { getMe, updateMe } from './me.ts'
import { presentAccount } from './present-account.ts'

const tags = ['Account']

export const meRoutes = (app: App): Route[] => [getMeRoute(app), updateMeRoute(app)]

const getMeRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/me',
    schema: {
      operationId: 'getMe',
      summary: 'Read the caller’s account',
      description: 'The account of the token or of the session.',
      tags,
      headers: IfNoneMatchHeader,
      response: responses(
        { 200: { description: 'The account.', headers: ETAG, schema: ref(AccountBody) }, ...NOT_MODIFIED },
        [],
      ),
    },
    handler: async (request, reply) => {
      const account = await getMe(contextOf(app.db, request.userId))
      return sendWithETag(request, reply, account.version, presentAccount(account))
    },
  })

const updateMeRoute = (app: App) =>
  idempotentRoute(app, {
    method: 'PATCH',
    url: '/v1/me',
    schema: {
      operationId: 'updateMe',
      summary: 'Change the caller’s account',
      description:
        'Changes the given fields: the currency of the account’s prices, or null for none, and the time zone of the account’s days. ' +
        'No price and no stored time changes.',
      tags,
      headers: IfMatchHeader,
      body: AccountChangeBody,
      response: responses({ 200: { description: 'The account.', headers: ETAG, schema: ref(AccountBody) } }, [
        ...IDEMPOTENCY_ERRORS,
        'PRECONDITION_FAILED',
      ]),
    },
    answer: async (context, { body, headers }) => {
      const expected = expectedVersions(headers['if-match'])
      const { currency, time_zone: timeZone } = body
      const account = await updateMe(app, context, { currency, timeZone }, expected)
      return { headers: etagHeader(account.version), body: presentAccount(account) }
    },
  })
