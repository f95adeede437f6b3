import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { App } from '../../app/app.ts'
import { getOpenInvitation } from '../../app/get-open-invitation.ts'
import { revokeOtherSessions } from '../../app/revoke-other-sessions.ts'
import { revokeSession } from '../../app/revoke-session.ts'
import type { Session, SessionApi } from '../../app/session-api.ts'
import { type SignUp, signUp } from '../../app/sign-up.ts'
import { INVITATION_LOOKUPS, SIGN_UPS, throttle } from '../../app/throttle.ts'
import { readCookie } from '../read-cookie.ts'
import { isFromBrowser, requireSameOrigin } from '../same-origin.ts'
import {
  InvitationKeyBody,
  PasswordChangeBody,
  SessionNameBody,
  SignInBody,
  SignUpBody,
} from '../schemas/session.ts'
import { clientAddress, notSignedIn, sendAnswer, toWebRequest } from '../session-request.ts'
import type { TypedServer } from '../typed-server.ts'

/** What better-auth answers, and the bodies that it is given; its other paths are not there. */
const FORWARDED: { method: 'GET' | 'POST'; path: string; body?: TSchema }[] = [
  { method: 'POST', path: 'sign-in/email', body: SignInBody },
  { method: 'POST', path: 'sign-out' },
  { method: 'GET', path: 'get-session' },
  { method: 'GET', path: 'list-sessions' },
  { method: 'POST', path: 'change-password', body: PasswordChangeBody },
]

/** The session API: what the dashboard needs before someone is signed in, and to end it. */
export function addSessionRoutes(
  server: TypedServer,
  app: App,
  sessions: SessionApi,
  openSignUp: boolean,
): void {
  for (const { method, path, body } of FORWARDED) {
    server.route({
      method,
      url: `/api/auth/${path}`,
      schema: { hide: true, ...(body ? { body } : {}) },
      onRequest: refuseOtherSites,
      handler: async (request, reply) => {
        const sent = path === 'change-password' ? endingOtherSessions(request.body) : request.body
        return sendAnswer(reply, await sessions.handle(toWebRequest(request, sent)))
      },
    })
  }

  server.post(
    '/api/auth/sign-up/email',
    { schema: { hide: true, body: SignUpBody }, onRequest: refuseOtherSites },
    async (request, reply) => answerSignUp(request, reply, request.body),
  )

  async function answerSignUp(request: FastifyRequest, reply: FastifyReply, body: SignUp) {
    await throttle(app, `sign-up|${clientAddress(request)}`, SIGN_UPS)
    const { email, password } = body
    await signUp(app, body, openSignUp)
    const credentials = { email, password }
    const webRequest = toWebRequest(request, credentials)
    return sendAnswer(reply, await sessions.signInAfterSignUp(webRequest, credentials))
  }

  server.post(
    '/api/auth/revoke-session',
    { schema: { hide: true, body: SessionNameBody }, onRequest: refuseOtherSites },
    async (request) => {
      await revokeSession(app, await requireSession(request), request.body.token)
      return { status: true }
    },
  )

  server.post(
    '/api/auth/revoke-other-sessions',
    { schema: { hide: true }, onRequest: refuseOtherSites },
    async (request) => {
      await revokeOtherSessions(app, await requireSession(request))
      return { status: true }
    },
  )

  async function requireSession({ headers }: FastifyRequest): Promise<Session> {
    const cookie = readCookie(headers.cookie, sessions.cookieName)
    const session = cookie === null ? null : await sessions.find(cookie)
    if (!session) throw notSignedIn()
    return session
  }

  server.get('/api/session-settings', { schema: { hide: true } }, async () => ({ open_sign_up: openSignUp }))

  // The key is in the body: paths and queries end up in the logs of proxies.
  server.post(
    '/api/invitations/lookup',
    { schema: { hide: true, body: InvitationKeyBody }, onRequest: refuseOtherSites },
    async (request) => {
      await throttle(app, `invitation|${clientAddress(request)}`, INVITATION_LOOKUPS)
      const { email, claimsUserId } = await getOpenInvitation(app, request.body.key)
      return { email, purpose: claimsUserId === null ? 'invitation' : 'first-account' }
    },
  )
}

async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  if (isFromBrowser(request)) requireSameOrigin(request)
}

/** Who changes a password may have lost it to somebody else. */
function endingOtherSessions(body: unknown): unknown {
  return { ...(body as object), revokeOtherSessions: true }
}
