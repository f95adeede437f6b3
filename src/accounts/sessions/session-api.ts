import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { App } from '../../app.ts'
import { DatabaseUnavailable } from '../../platform/database/database-unavailable.ts'
import { attemptsOfEmail } from '../attempts.ts'
import { replacePassword } from '../credential-store.ts'
import { shareSecret } from '../server-secret-store.ts'
import type { createAuth } from './better-auth.ts'
import { hashSessionToken } from './hashed-sessions.ts'
import { readSessionToken, sessionCookieName } from './session-cookie.ts'
import { deleteSession, findSession } from './session-store.ts'

export interface SessionOptions {
  /** Callers come over https. */
  isSecure: boolean
  /** Hears of what failed although the request was answered. */
  onWarning: (error: Error) => void
}

export interface Session {
  id: string
  userId: string
  /** What a list of sessions calls its token. */
  tokenHash: string
}

type Auth = ReturnType<typeof createAuth>

interface Credentials {
  email: string
  password: string
}

/** What goes on beside the library while it answers a request. */
interface Exchange {
  /** What it logs; its answer alone would hide the cause. */
  errors: Error[]
  /** The hash of the caller's password, if this request has made it itself. */
  made: string | null
  /** A hash that the caller's password fits, made with less work than today's. */
  outdated: string | null
}

/** Signing in and out, and who is signed in. The secret is read at the first use. */
export class SessionApi {
  readonly cookieName: string
  readonly #app: App
  readonly #options: SessionOptions
  #secret: Promise<string> | null = null
  #auth: Promise<Auth> | null = null
  readonly #exchanges = new AsyncLocalStorage<Exchange>()

  constructor(app: App, options: SessionOptions) {
    this.#app = app
    this.#options = options
    this.cookieName = sessionCookieName(options.isSecure)
  }

  /** The session that the cookie is for; null if it is forged, or the session has ended. */
  async find(cookie: string): Promise<Session | null> {
    const secret = await this.#readSecret()
    const token = readSessionToken(cookie, secret)
    if (token === null) return null
    const tokenHash = hashSessionToken(token)
    // In the session's name, whose cookie is signed: it was there, and its owner's flood is his own.
    const session = await findSession(this.#app.db.callers.for(tokenHash), tokenHash)
    return session && { ...session, tokenHash }
  }

  /** Answers a request to /api/auth. @throws DatabaseUnavailable, or what made the library fail */
  async handle(request: Request): Promise<Response> {
    try {
      return await this.#answer({ errors: [], made: null, outdated: null }, (auth) => auth.handler(request))
    } catch (error) {
      // The library writes with several statements and does not report which of them were executed.
      if (request.method === 'GET' || !(error instanceof DatabaseUnavailable)) throw error
      throw new DatabaseUnavailable(
        'The connection to the database was lost; whether the request took effect is not known.',
        false,
        error.cause,
      )
    }
  }

  /**
   * Ends the session that the cookie is for, and takes the cookie back. The library alone says that all is well if it
   * could not read the session, which then goes on.
   */
  async signOut(request: Request, cookie: string | null): Promise<Response> {
    const session = cookie === null ? null : await this.find(cookie)
    if (session) {
      const { userId, tokenHash } = session
      await deleteSession(this.#app.db.callers.for(userId), userId, tokenHash)
    }
    return this.handle(request)
  }

  /** Signs in; a hash of old is renewed, now that the password is at hand. */
  async signIn(request: Request, { email, password }: Credentials): Promise<Response> {
    const exchange: Exchange = { errors: [], made: null, outdated: null }
    const response = await this.#answer(exchange, (auth) => auth.handler(request))
    if (!response.ok) return response
    await this.#app.attempts.forget(attemptsOfEmail(email))
    if (exchange.outdated !== null) await this.#renew(email, password, exchange.outdated)
    return response
  }

  /** Signs in without the limits of attempts: to an account that this very request made, with this hash. */
  async signInAfterSignUp(request: Request, credentials: Credentials, hash: string): Promise<Response> {
    await this.#app.attempts.forget(attemptsOfEmail(credentials.email))
    return this.#answer({ errors: [], made: hash, outdated: null }, (auth) =>
      auth.api.signInEmail({ body: credentials, headers: request.headers, asResponse: true }),
    )
  }

  async #answer(exchange: Exchange, ask: (auth: Auth) => Promise<Response>): Promise<Response> {
    const auth = await this.#prepare()
    const { errors } = exchange
    const response = await this.#exchanges.run(exchange, () => ask(auth))
    const away = errors.find((error) => error instanceof DatabaseUnavailable)
    if (away) throw away
    if (response.status >= 500) throw errors[0] ?? new Error(`the session API answered ${response.status}`)
    // What failed within the library may have been all that was asked for.
    if (response.ok && errors[0]) throw errors[0]
    for (const error of errors) this.#options.onWarning(error)
    return response
  }

  async #verifyPassword(hash: string, password: string): Promise<boolean> {
    const exchange = this.#exchanges.getStore()
    if (exchange?.made === hash) return true
    const isRight = await this.#app.passwords.verify(hash, password)
    if (isRight && exchange && this.#app.passwords.isOutdated(hash)) exchange.outdated = hash
    return isRight
  }

  /** Who has signed in is signed in: what fails here is done at the next time. */
  async #renew(email: string, password: string, outdated: string): Promise<void> {
    try {
      const hash = await this.#app.passwords.hash(password)
      await replacePassword(this.#app.db.identity, { email, from: outdated, to: hash })
    } catch (error) {
      this.#options.onWarning(error as Error)
    }
  }

  /** All that it takes to know a session's cookie. */
  #readSecret(): Promise<string> {
    this.#secret ??= shareSecret(
      this.#app.db.identity,
      'sessions',
      randomBytes(32).toString('base64url'),
    ).catch((error) => {
      this.#secret = null
      throw error
    })
    return this.#secret
  }

  #prepare(): Promise<Auth> {
    this.#auth ??= this.#load().catch((error) => {
      this.#auth = null
      throw error
    })
    return this.#auth
  }

  async #load(): Promise<Auth> {
    // Only now: 50 ms of the event loop, once, and a server where nobody signs in is five megabytes smaller.
    const { createAuth } = await import('./better-auth.ts')
    const secret = await this.#readSecret()
    return createAuth(this.#app, {
      secret,
      isSecure: this.#options.isSecure,
      verifyPassword: (hash, password) => this.#verifyPassword(hash, password),
      onError: (error) => {
        const errors = this.#exchanges.getStore()?.errors
        if (errors) errors.push(error)
        else this.#options.onWarning(error)
      },
    })
  }
}
