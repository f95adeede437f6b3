import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { DatabaseAway } from '../storage/database-away.ts'
import { shareSecret } from '../storage/server-secrets.ts'
import { findSessionOwner } from '../storage/sessions.ts'
import { forgetAttempts } from '../storage/throttles.ts'
import type { App } from './app.ts'
import type { createAuth } from './auth.ts'
import { hashSessionToken } from './hashed-sessions.ts'
import { readSessionToken, sessionCookieName } from './session-cookie.ts'
import { attemptsOfEmail } from './throttle.ts'

export interface SessionOptions {
  /** Callers come over https. */
  isSecure: boolean
}

export interface Session {
  userId: string
  /** What a list of sessions calls its token. */
  tokenHash: string
}

interface Ready {
  auth: ReturnType<typeof createAuth>
  secret: string
}

/** Signing in and out, and who is signed in. The library is loaded, and the secret read, at the first use. */
export class SessionApi {
  readonly cookieName: string
  readonly #app: App
  readonly #options: SessionOptions
  #ready: Promise<Ready> | null = null
  /** What the library logs while it answers a request; its answer alone would hide the cause. */
  readonly #errors = new AsyncLocalStorage<Error[]>()

  constructor(app: App, options: SessionOptions) {
    this.#app = app
    this.#options = options
    this.cookieName = sessionCookieName(options.isSecure)
  }

  /** The session that the cookie is for; null where it is forged, or the session has ended. */
  async find(cookie: string): Promise<Session | null> {
    const { secret } = await this.#prepare()
    const token = readSessionToken(cookie, secret)
    if (token === null) return null
    const tokenHash = hashSessionToken(token)
    const userId = await findSessionOwner(this.#app.db.identity, tokenHash)
    return userId === null ? null : { userId, tokenHash }
  }

  /** Answers a request to /api/auth. @throws DatabaseAway, or what made the library fail */
  handle(request: Request): Promise<Response> {
    return this.#answer(({ auth }) => auth.handler(request))
  }

  /** Signs in without the limits of attempts: for an account that was made by this very request. */
  async signInAfterSignUp(
    request: Request,
    credentials: { email: string; password: string },
  ): Promise<Response> {
    await forgetAttempts(this.#app.db, attemptsOfEmail(credentials.email))
    return this.#answer(({ auth }) =>
      auth.api.signInEmail({ body: credentials, headers: request.headers, asResponse: true }),
    )
  }

  async #answer(ask: (ready: Ready) => Promise<Response>): Promise<Response> {
    const ready = await this.#prepare()
    const errors: Error[] = []
    const response = await this.#errors.run(errors, () => ask(ready))
    const away = errors.find((error) => error instanceof DatabaseAway)
    if (away) throw away
    if (response.status >= 500) throw errors[0] ?? new Error(`the session API answered ${response.status}`)
    return response
  }

  #prepare(): Promise<Ready> {
    this.#ready ??= this.#load().catch((error) => {
      this.#ready = null
      throw error
    })
    return this.#ready
  }

  async #load(): Promise<Ready> {
    const { createAuth } = await import('./auth.ts')
    const secret = await shareSecret(this.#app.db, 'sessions', randomBytes(32).toString('base64url'))
    const onError = (error: Error) => void this.#errors.getStore()?.push(error)
    return { auth: createAuth(this.#app, { secret, isSecure: this.#options.isSecure, onError }), secret }
  }
}
