import assert from 'node:assert/strict'
import type { Answer, ApiClient } from './api-client.ts'
import { uniqueName } from './new-records.ts'
import { newSession, newUserWithPassword, PASSWORD, userIdOf } from './new-session.ts'
import { createInvitation } from './source/accounts.ts'
import type { TestService } from './test-service.ts'

/** A client that acts like a page in a browser: with cookies and the origin of the service. */
export class SessionClient {
  readonly #service: TestService
  readonly #cookies = new Map<string, string>()

  constructor(service: TestService) {
    this.#service = service
  }

  /** The header Cookie. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers)
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, body, headers)
  }

  delete(path: string): Promise<Answer> {
    return this.send('DELETE', path)
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const json = body === undefined ? undefined : JSON.stringify(body)
    const answer = await this.#service.clientWith(null).send(method, path, json, {
      Origin: this.#service.url,
      ...(this.cookie ? { Cookie: this.cookie } : {}),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    })
    for (const header of answer.headers.getSetCookie()) this.#keep(header)
    return answer
  }

  /** Uses an existing session. */
  take({ name, value }: { name: string; value: string }): this {
    this.#cookies.set(name, value)
    return this
  }

  #keep(header: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
    if (/max-age=0\b/i.test(header)) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}

export { PASSWORD }

export interface SignedUp {
  email: string
  /** Signed in. */
  browser: SessionClient
}

/** A new account with a session, inserted directly, as after a sign-up by invitation. */
export async function signUp(service: TestService): Promise<SignedUp> {
  const email = `${uniqueName()}@example.com`
  await newUserWithPassword(service, email, 'Someone')
  return { email, browser: await openSession(service, email) }
}

/** Signs up by the request itself, which hashes a password. */
export async function signUpByInvitation(service: TestService): Promise<SignedUp> {
  const email = `${uniqueName()}@example.com`
  const { key } = await createInvitation(service.app.db, { email: null, invitedBy: null })
  const browser = new SessionClient(service)
  const body = { email, name: 'Someone', password: PASSWORD, invitation: key }
  const { status, body: said } = await browser.post('/api/auth/sign-up/email', body)
  assert.equal(status, 200, JSON.stringify(said))
  return { email, browser }
}

/** A client of a new account with a session: it may do what tokens may not. */
export async function newSignedInApi(service: TestService): Promise<ApiClient> {
  const { browser } = await signUp(service)
  return service.clientWith(null).with({ Cookie: browser.cookie, Origin: service.url })
}

/** A session of the account in another browser, inserted directly. */
export async function openSession(service: TestService, email: string): Promise<SessionClient> {
  const id = await userIdOf(service.sql, email)
  return new SessionClient(service).take(await newSession(service.sql, id))
}

/** Signs in to the account in another browser, with its password. */
export async function signIn(
  service: TestService,
  email: string,
  password = PASSWORD,
): Promise<SessionClient> {
  const browser = new SessionClient(service)
  const { status, body } = await browser.post('/api/auth/sign-in/email', { email, password })
  assert.equal(status, 200, JSON.stringify(body))
  return browser
}
