import { createToken } from '../../src/accounts/tokens/tokens.ts'
import { createUser } from '../../src/accounts/users.ts'
import type { App } from '../../src/app.ts'
import type { Account } from './account.ts'
import { HttpClient } from './http-client.ts'
import { KnownIds, OWN_TOKEN } from './known-ids.ts'
import type { HttpResponse } from './request.ts'

const PASSWORD = 'correct horse battery'

/** Limit of an account's tokens, and of its invitations. */
const MAX_PER_ACCOUNT = 1_000
const ADD_TOKENS = `-- fuzz_add_tokens
  INSERT INTO api_tokens (id, user_id, name, token_hash, created_at)
  SELECT gen_random_uuid(), $1, 'filler', sha256(gen_random_uuid()::text::bytea), now()
  FROM generate_series(1, $2::int)`
const ADD_INVITATIONS = `-- fuzz_add_invitations
  INSERT INTO invitations (id, key_hash, invited_by, created_at, expires_at)
  SELECT gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), $1, now(), now() + interval '1 day'
  FROM generate_series(1, $2::int)`

/** Creates accounts, without the API, as the command line does. */
export class Accounts {
  readonly #app: App
  readonly #http: HttpClient
  #made = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(app: App, url: string) {
    this.#app = app
    this.#http = new HttpClient(url, 1)
  }

  /** @param signedIn with a session. The number of sign-ins per minute is limited */
  make(signedIn: boolean): Promise<Account> {
    return this.#serialize(async () => (await this.#make(signedIn)).account)
  }

  /** An account with a session, at the limits of tokens and invitations. */
  makeFull(): Promise<Account> {
    return this.#serialize(async () => {
      const { account, userId } = await this.#make(true)
      await this.#app.db.query({ text: ADD_TOKENS, values: [userId, MAX_PER_ACCOUNT] })
      await this.#app.db.query({ text: ADD_INVITATIONS, values: [userId, MAX_PER_ACCOUNT] })
      return account
    })
  }

  /** Serialized: password hashing refuses requests that wait too long. */
  #serialize(make: () => Promise<Account>): Promise<Account> {
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
    return { account: { token, cookie, revokedToken, known: new KnownIds() }, userId }
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
  ): Promise<HttpResponse> {
    const body = content ? Buffer.from(JSON.stringify(content)) : null
    const headers = {
      Origin: this.#http.url,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...given,
    }
    const response = await this.#http.sendWithRetries({ method, path, headers, body })
    if (response.status >= 300) throw new Error(`${path} answers ${response.status}: ${response.text}`)
    return response
  }
}
