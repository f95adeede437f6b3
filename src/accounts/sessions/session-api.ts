import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { App } from '../../app.ts'
import { DatabaseUnavailable } from '../../platform/database/database-unavailable.ts'
import { emailKey } from '../attempt-limiter.ts'
import { replacePassword } from '../credential-store.ts'
import { getOrCreateSecret } from '../server-secret-store.ts'
import type { createAuth } from './better-auth.ts'
import { hashSessionToken } from './hashed-sessions.ts'
import { readSessionToken, sessionCookieName } from './session-cookie.ts'
import { deleteSession, findSession } from './session-store.ts'

interface SessionOptions {
  /** Callers use https. */
  isSecure: boolean
  /** Receives errors of requests that succeeded nevertheless. */
  onWarning: (error: Error) => void
}

export interface Session {
  id: string
  userId: string
  /** The name of the session in lists. */
  tokenHash: string
}

type Auth = ReturnType<typeof createAuth>

const newRequestState = (): RequestState => ({ errors: [], createdHash: null, outdatedHash: null })

interface Credentials {
  email: string
  password: string
}

/** What one request shares with the callbacks that the library calls for it. */
interface RequestState {
  /** Errors that the library logged. Its response does not contain the cause. */
  errors: Error[]
  /** The hash of the caller's password, if the same request created the account. */
  createdHash: string | null
  /** The stored hash that the password matched, if the hash has an outdated cost. */
  outdatedHash: string | null
}

/** Signs people in and out and finds sessions. The secret of the cookies is read at the first use. */
export class SessionApi {
  readonly cookieName: string
  readonly #app: App
  readonly #options: SessionOptions
  #secret: Promise<string> | null = null
  #auth: Promise<Auth> | null = null
  readonly #requestStates = new AsyncLocalStorage<RequestState>()

  constructor(app: App, options: SessionOptions) {
    this.#app = app
    this.#options = options
    this.cookieName = sessionCookieName(options.isSecure)
  }

  /** The session of the cookie; null if the cookie is forged or the session has ended. */
  async find(cookie: string): Promise<Session | null> {
    const secret = await this.#readSecret()
    const token = readSessionToken(cookie, secret)
    if (token === null) return null
    const tokenHash = hashSessionToken(token)
    // The signature proves that the session existed, so each session has its own quota of connections.
    const session = await findSession(this.#app.db.callers.for(tokenHash), tokenHash)
    return session && { ...session, tokenHash }
  }

  /** Handles a request to /api/auth. @throws DatabaseUnavailable, or the error that made the library fail */
  async handle(request: Request): Promise<Response> {
    try {
      return await this.#run(newRequestState(), (auth) => auth.handler(request))
    } catch (error) {
      // The library writes with several statements and does not report which of them were executed.
      if (request.method === 'GET' || !(error instanceof DatabaseUnavailable)) throw error
      throw new DatabaseUnavailable(
        'The connection to the database was lost; whether the request took effect is not known.',
        'unknown',
        error.cause,
      )
    }
  }

  /**
   * Ends the session of the cookie and deletes the cookie. The session is deleted here because the library reports success even
   * if it could not read the session.
   */
  async signOut(request: Request, cookie: string | null): Promise<Response> {
    const session = cookie === null ? null : await this.find(cookie)
    if (session) {
      const { userId, tokenHash } = session
      await deleteSession(this.#app.db.callers.for(userId), userId, tokenHash)
    }
    return this.handle(request)
  }

  /** Signs in. Replaces a hash of an outdated cost: only now the password is known. */
  async signIn(request: Request, { email, password }: Credentials): Promise<Response> {
    const state = newRequestState()
    const response = await this.#run(state, (auth) => auth.handler(request))
    if (!response.ok) return response
    await this.#app.attempts.forget(emailKey(email))
    if (state.outdatedHash !== null) await this.#replaceHash(email, password, state.outdatedHash)
    return response
  }

  /** Signs in to the account that the same request created with this hash. Does not count as a sign-in attempt. */
  async signInAfterSignUp(request: Request, credentials: Credentials, hash: string): Promise<Response> {
    await this.#app.attempts.forget(emailKey(credentials.email))
    return this.#run({ ...newRequestState(), createdHash: hash }, (auth) =>
      auth.api.signInEmail({ body: credentials, headers: request.headers, asResponse: true }),
    )
  }

  async #run(state: RequestState, call: (auth: Auth) => Promise<Response>): Promise<Response> {
    const auth = await this.#prepare()
    const { errors } = state
    const response = await this.#requestStates.run(state, () => call(auth))
    const unavailable = errors.find((error) => error instanceof DatabaseUnavailable)
    if (unavailable) throw unavailable
    if (response.status >= 500) throw errors[0] ?? new Error(`the session API answered ${response.status}`)
    // The library answers with success even if the only statement of the request failed.
    if (response.ok && errors[0]) throw errors[0]
    for (const error of errors) this.#options.onWarning(error)
    return response
  }

  async #verifyPassword(hash: string, password: string): Promise<boolean> {
    const state = this.#requestStates.getStore()
    if (state?.createdHash === hash) return true
    const isCorrect = await this.#app.passwords.verify(hash, password)
    if (isCorrect && state && this.#app.passwords.isOutdated(hash)) state.outdatedHash = hash
    return isCorrect
  }

  /** A failure is only a warning: the sign-in has succeeded, and the next one tries again. */
  async #replaceHash(email: string, password: string, outdatedHash: string): Promise<void> {
    try {
      const hash = await this.#app.passwords.hash(password)
      await replacePassword(this.#app.db.identity, { email, from: outdatedHash, to: hash })
    } catch (error) {
      this.#options.onWarning(error as Error)
    }
  }

  /** The secret that signs the cookies of sessions. */
  #readSecret(): Promise<string> {
    this.#secret ??= getOrCreateSecret(
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
    // Loaded at the first use: it holds the event loop for 50 ms and takes 5 MB, which a server without sessions saves.
    const { createAuth } = await import('./better-auth.ts')
    const secret = await this.#readSecret()
    return createAuth(this.#app, {
      secret,
      isSecure: this.#options.isSecure,
      verifyPassword: (hash, password) => this.#verifyPassword(hash, password),
      onError: (error) => {
        const errors = this.#requestStates.getStore()?.errors
        if (errors) errors.push(error)
        else this.#options.onWarning(error)
      },
    })
  }
}
