import { getMe } from '../../app/accounts/get-me.ts'
import type { App } from '../../app/app.ts'
import { AccountBody } from '../schemas/account.ts'
import { ref, responses } from '../schemas/responses.ts'
import type { TypedServer } from '../typed-server.ts'
import { presentAccount } from './present-account.ts'

export function addMeRoutes(server: TypedServer, app: App): void {
  server.get(
    '/v1/me',
    {
      schema: {
        operationId: 'getMe',
        summary: 'Read the account that asks',
        description: 'The account of the token or of the session.',
        tags: ['Account'],
        response: responses({ 200: { description: 'The account.', schema: ref(AccountBody) } }, []),
      },
    },
    async (request) => presentAccount(await getMe(app, request.userId)),
  )
}
