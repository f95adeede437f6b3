import { insertApiToken } from '../../storage/accounts/api-tokens.ts'
import { insertUser, listUsers, takeBootstrapTurn } from '../../storage/accounts/users.ts'
import type { App } from '../app.ts'
import { hashToken, newToken } from '../tokens/api-token.ts'

const OWNER = 'owner@localhost'

export interface BootstrapAccount {
  email: string
  token: string
}

/**
 * If there is no account yet, makes the first one with a token; null if there is one. Servers that
 * start together make one account between them.
 * @param givenToken used in place of a random one
 * @param show hears of the account before it is stored: a token that was stored first could be lost with the process,
 *   and would then never be seen; of one that was shown and not stored the next start makes another
 */
export function bootstrapAccount(
  app: App,
  givenToken: string | null,
  show: (account: BootstrapAccount) => void = () => {},
): Promise<BootstrapAccount | null> {
  return app.db.transaction(async (connection) => {
    await takeBootstrapTurn(connection)
    if ((await listUsers(connection)).length > 0) return null
    const user = await insertUser(connection, OWNER)
    if (!user) throw new Error('the first account exists already')

    const token = givenToken ?? newToken()
    await insertApiToken(connection, {
      userId: user.id,
      name: 'first token',
      hash: hashToken(token),
      expiresAt: null,
      sessionId: null,
      most: null,
    })
    const account = { email: user.email, token }
    show(account)
    return account
  })
}
