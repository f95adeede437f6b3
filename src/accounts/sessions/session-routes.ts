import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { MAX_NAME_LENGTH } from '../../core/limits.ts'
import { unavailable } from '../../kernel/errors.ts'
import type { FairSemaphore } from '../../platform/concurrency/fair-semaphore.ts'
import { whileConnected } from '../../platform/http/admission/while-connected.ts'
import { clientAddress } from '../../platform/http/connections/forwarded-headers.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { emailKey } from '../attempt-limiter.ts'
import { isFromBrowser, readCookie, requireSameOrigin } from '../identity/authenticate.ts'
import { notSignedIn, sendAnswer, toWebRequest } from '../identity/session-request.ts'
import { getOpenInvitation } from '../invitations/invitations.ts'
import {
  type AttemptRule,
  INVITATION_LOOKUPS,
  MAX_EMAIL_LENGTH,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  PASSWORD_CHANGES,
  SIGN_INS,
  SIGN_INS_PER_EMAIL,
  SIGN_UPS,
} from '../limits.ts'
import { signUp } from '../sign-up.ts'
import { revokeOtherSessions, revokeSession } from './end-sessions.ts'
import type { Session, SessionApi } from './session-api.ts'

const Email = Type.String({ minLength: 1, maxLength: MAX_EMAIL_LENGTH })
/** An existing password, which may be older than the minimum length. */
const Password = Type.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH })
const NewPassword = Type.String({ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH })

const closed = { additionalProperties: false }

const SignInBody = Type.Object(
  { email: Email, password: Password, rememberMe: Type.Optional(Type.Boolean()) },
  closed,
)

const SignUpBody = Type.Object(
  {
    email: Email,
    name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
    password: NewPassword,
    invitation: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH })),
  },
  closed,
)

const InvitationKeyBody = Type.Object(
  { key: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }) },
  closed,
)

const PasswordChangeBody = Type.Object(
  {
    currentPassword: Password,
    newPassword: NewPassword,
    // Other sessions end in any case.
    revokeOtherSessions: Type.Optional(Type.Boolean()),
  },
  closed,
)

const SessionNameBody = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }) },
  closed,
)

/** The session API: the dashboard's requests to sign in, to sign up and to manage sessions. The OpenAPI document omits it. */
export const sessionRoutes = (app: App, sessions: SessionApi, openSignUp: boolean): Route[] => [
  signInRoute(app, sessions),
  signUpRoute(app, sessions, openSignUp),
  changePasswordRoute(app, sessions),
  signOutRoute(sessions),
  forwardedRoute('get-session', sessions),
  forwardedRoute('list-sessions', sessions),
  revokeSessionRoute(app, sessions),
  revokeOtherSessionsRoute(app, sessions),
  getSessionSettingsRoute(openSignUp),
  getOpenInvitationRoute(app),
]

function signInRoute(app: App, sessions: SessionApi) {
  const signIns = limited(app, app.signIns, 'sign-in', SIGN_INS)
  return route({
    method: 'POST',
    url: '/api/auth/sign-in/email',
    schema: { hide: true, body: SignInBody },
    onRequest: [refuseOtherSites, signIns.refuseKnown],
    handler: (request, reply) => {
      const key = emailKey(request.body.email)
      app.attempts.refuseKnown(key)
      return signIns.run(reply, async () => {
        // After the limit of the address: an address above its limit must not use up the attempts of the email.
        await app.attempts.count(key, SIGN_INS_PER_EMAIL)
        const webRequest = toWebRequest(request, request.body)
        return sendAnswer(reply, await sessions.signIn(webRequest, request.body))
      })
    },
  })
}

function signUpRoute(app: App, sessions: SessionApi, openSignUp: boolean) {
  const signUps = limited(app, app.signIns, 'sign-up', SIGN_UPS)
  return route({
    method: 'POST',
    url: '/api/auth/sign-up/email',
    schema: { hide: true, body: SignUpBody },
    onRequest: [refuseOtherSites, signUps.refuseKnown],
    handler: (request, reply) =>
      signUps.run(reply, async () => {
        const { email, password } = request.body
        const { hash } = await signUp(app, request.body, openSignUp)
        const credentials = { email, password }
        const webRequest = toWebRequest(request, credentials)
        const signedIn = sessions.signInAfterSignUp(webRequest, credentials, hash).catch((error) => {
          throw unavailable(
            'The account was created, but the sign-in failed. Sign in with its email and password.',
            error,
          )
        })
        return sendAnswer(reply, await signedIn)
      }),
  })
}

function changePasswordRoute(app: App, sessions: SessionApi) {
  const changes = limited(app, app.signIns, 'change-password', PASSWORD_CHANGES)
  return route({
    method: 'POST',
    url: '/api/auth/change-password',
    schema: { hide: true, body: PasswordChangeBody },
    onRequest: [refuseOtherSites, changes.refuseKnown],
    handler: (request, reply) =>
      changes.run(reply, async () => {
        // Another person may know the old password.
        const body = { ...request.body, revokeOtherSessions: true }
        return sendAnswer(reply, await sessions.handle(toWebRequest(request, body)))
      }),
  })
}

const signOutRoute = (sessions: SessionApi) =>
  route({
    method: 'POST',
    url: '/api/auth/sign-out',
    schema: { hide: true },
    onRequest: refuseOtherSites,
    handler: async (request, reply) => {
      const webRequest = toWebRequest(request, request.body)
      return sendAnswer(reply, await sessions.signOut(webRequest, cookieOf(sessions, request)))
    },
  })

/** Paths that better-auth handles for signed-in callers. Its other paths answer 404. */
const forwardedRoute = (path: 'get-session' | 'list-sessions', sessions: SessionApi) =>
  route({
    method: 'GET',
    url: `/api/auth/${path}`,
    schema: { hide: true },
    onRequest: refuseOtherSites,
    handler: async (request, reply) => {
      // Without a session the library would take milliseconds to answer, and any caller can send such requests.
      if (!(await findSession(sessions, request))) return refuse(path, reply)
      return sendAnswer(reply, await sessions.handle(toWebRequest(request, request.body)))
    },
  })

const revokeSessionRoute = (app: App, sessions: SessionApi) =>
  route({
    method: 'POST',
    url: '/api/auth/revoke-session',
    schema: { hide: true, body: SessionNameBody },
    onRequest: refuseOtherSites,
    handler: async (request) => {
      const session = await requireSession(sessions, request)
      return { status: true, revoked_tokens: await revokeSession(app, session, request.body.token) }
    },
  })

const revokeOtherSessionsRoute = (app: App, sessions: SessionApi) =>
  route({
    method: 'POST',
    url: '/api/auth/revoke-other-sessions',
    schema: { hide: true },
    onRequest: refuseOtherSites,
    handler: async (request) => {
      const session = await requireSession(sessions, request)
      return { status: true, revoked_tokens: await revokeOtherSessions(app, session) }
    },
  })

const getSessionSettingsRoute = (openSignUp: boolean) =>
  route({
    method: 'GET',
    url: '/api/session-settings',
    schema: { hide: true },
    handler: async () => ({ open_sign_up: openSignUp }),
  })

function getOpenInvitationRoute(app: App) {
  const lookups = limited(app, app.invitationLookups, 'invitation', INVITATION_LOOKUPS)
  return route({
    method: 'POST',
    // The key is in the body: paths and queries end up in the logs of proxies.
    url: '/api/invitations/lookup',
    schema: { hide: true, body: InvitationKeyBody },
    onRequest: [refuseOtherSites, lookups.refuseKnown],
    handler: (request, reply) =>
      lookups.run(reply, async () => {
        const { email, claimsUserId } = await getOpenInvitation(app, request.body.key)
        return { email, purpose: claimsUserId === null ? 'invitation' : 'first-account' }
      }),
  })
}

const cookieOf = (sessions: SessionApi, { headers }: FastifyRequest) =>
  readCookie(headers.cookie, sessions.cookieName)

async function findSession(sessions: SessionApi, request: FastifyRequest): Promise<Session | null> {
  const cookie = cookieOf(sessions, request)
  return cookie === null ? null : sessions.find(cookie)
}

async function requireSession(sessions: SessionApi, request: FastifyRequest): Promise<Session> {
  const session = await findSession(sessions, request)
  if (!session) throw notSignedIn()
  return session
}

/** get-session answers null without a session. The other path answers 401. */
function refuse(path: string, reply: FastifyReply): FastifyReply {
  if (path !== 'get-session') throw notSignedIn()
  return reply.send(null)
}

async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  if (isFromBrowser(request)) requireSameOrigin(request)
}

/** Limits for unauthenticated requests: attempts known from memory, requests in progress, attempts of the address on all servers. */
function limited(app: App, limit: FairSemaphore, action: string, rule: AttemptRule) {
  const keyOf = (request: FastifyRequest) => `${action}|${clientAddress(request)}`
  return {
    refuseKnown: async (request: FastifyRequest): Promise<void> => app.attempts.refuseKnown(keyOf(request)),
    run: async <T>({ request, raw, server }: FastifyReply, work: () => Promise<T>): Promise<T> => {
      const permit = await whileConnected(raw, server.stopSignal, (signal) =>
        limit.acquire(clientAddress(request), 1, { signal }),
      )
      try {
        await app.attempts.count(keyOf(request), rule)
        return await work()
      } finally {
        permit.release()
      }
    },
  }
}
