import { createToken } from '../../src/accounts/tokens/tokens.ts'
import { createUser } from '../../src/accounts/users.ts'
import type { App } from '../../src/app.ts'
import type { Account } from './account.ts'
import { Known, OWN_TOKEN } from './known.ts'
import type { Answer } from './request.ts'
import { Wire } from './send.ts'

const PASSWORD = 'correct horse battery'

/** Tokens and invitations that an account may have. */
const MOST = 1_000
const ADD_TOKENS = `-- fuzz_add_tokens
  INSERT INTO api_tokens (id, user_id, name, token_hash, created_at)
  SELECT gen_random_uuid(), $1, 'one of many', sha256(gen_random_uuid()::text::bytea), now()
  FROM generate_series(1, $2::int)`
const ADD_INVITATIONS = `-- fuzz_add_invitations
  INSERT INTO invitations (id, key_hash, invited_by, created_at, expires_at)
  SELECT gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), $1, now(), now() + interval '1 day'
  FROM generate_series(1, $2::int)`

/** Makes accounts that a request can come from; past the API, as the command line does. */
export class Accounts {
  readonly #app: App
  readonly #wire: Wire
  #made = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(app: App, url: string) {
    this.#app = app
    this.#wire = new Wire(url, 1)
  }

  /** @param signedIn whether it has a session too, of which not many can be opened in a minute */
  make(signedIn: boolean): Promise<Account> {
    return this.#inTurn(async () => (await this.#make(signedIn)).account)
  }

  /** One that has as many tokens and invitations as it may, and a session. */
  makeFull(): Promise<Account> {
    return this.#inTurn(async () => {
      const { account, userId } = await this.#make(true)
      await this.#app.db.query({ text: ADD_TOKENS, values: [userId, MOST] })
      await this.#app.db.query({ text: ADD_INVITATIONS, values: [userId, MOST] })
      return account
    })
  }

  /** One after the other: hashes of passwords that wait too long are refused. */
  #inTurn(make: () => Promise<Account>): Promise<Account> {
    const made = this.#last.then(make)
    this.#last = made.catch(() => {})
    return made
  }

  async #make(signedIn: boolean): Promise<{ account: Account; userId: string }> {
    const wanted = `fuzz-${process.pid}-${this.#made++}@example.com`
    const { id: userId, email } = await createUser(this.#app, wanted, signedIn ? PASSWORD : undefined)
    const token = await createToken(this.#app, { email, name: OWN_TOKEN, expiresAt: null })
    const cookie = signedIn ? await this.#signIn(email) : null
    const revokedToken = cookie === null ? null : await this.#revokedToken(cookie)
    return { account: { token, cookie, revokedToken, known: new Known() }, userId }
  }

  async #signIn(email: string): Promise<string> {
    const { headers } = await this.#send('/api/auth/sign-in/email', 'POST', {}, { email, password: PASSWORD })
    return [headers['set-cookie'] ?? []]
      .flat()
      .map((cookie) => cookie.split(';', 1)[0])
      .join('; ')
  }

  async #revokedToken(cookie: string): Promise<string> {
    const made = await this.#send('/v1/tokens', 'POST', { Cookie: cookie }, { name: 'revoked' })
    const { id, token } = JSON.parse(made.text) as { id: string; token: string }
    await this.#send(`/v1/tokens/${id}`, 'DELETE', { Cookie: cookie })
    return token
  }

  async #send(
    path: string,
    method: string,
    given: Record<string, string>,
    content?: object,
  ): Promise<Answer> {
    const body = content ? Buffer.from(JSON.stringify(content)) : null
    const headers = {
      Origin: this.#wire.url,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...given,
    }
    const answer = await this.#wire.sendPatiently({ method, path, headers, body })
    if (answer.status >= 300) throw new Error(`${path} answers ${answer.status}: ${answer.text}`)
    return answer
  }
}
