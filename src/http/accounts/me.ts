import { getMe } from '../../app/accounts/get-me.ts'
import type { App } from '../../app/app.ts'
import { ref, responses } from '../protocol/responses.ts'
import { route } from '../route.ts'
import { AccountBody } from './account-bodies.ts'
import { presentAccount } from './present-account.ts'

export const getMeRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/me',
    schema: {
      operationId: 'getMe',
      summary: 'Read the account that asks',
      description: 'The account of the token or of the session.',
      tags: ['Account'],
      response: responses({ 200: { description: 'The account.', schema: ref(AccountBody) } }, []),
    },
    handler: async (request) => presentAccount(await getMe(app, request.userId)),
  })
