import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type AttemptRule,
  attemptsOfEmail,
  INVITATION_LOOKUPS,
  PASSWORD_CHANGES,
  SIGN_INS,
  SIGN_INS_OF_EMAIL,
  SIGN_UPS,
} from '../../app/accounts/attempts.ts'
import type { Doorway } from '../../app/accounts/doorway.ts'
import { signUp } from '../../app/accounts/sign-up.ts'
import type { App } from '../../app/app.ts'
import { getOpenInvitation } from '../../app/invitations/invitations.ts'
import { revokeOtherSessions } from '../../app/sessions/revoke-other-sessions.ts'
import { revokeSession } from '../../app/sessions/revoke-session.ts'
import type { Session, SessionApi } from '../../app/sessions/session-api.ts'
import { readCookie } from '../identity/read-cookie.ts'
import { isFromBrowser, requireSameOrigin } from '../identity/same-origin.ts'
import { callerOf, notSignedIn, sendAnswer, toWebRequest } from '../identity/session-request.ts'
import {
  InvitationKeyBody,
  PasswordChangeBody,
  SessionNameBody,
  SignInBody,
  SignUpBody,
} from '../schemas/session.ts'
import type { TypedServer } from '../typed-server.ts'

/** What better-auth answers to those who are signed in; its other paths are not there. */
const FORWARDED = ['get-session', 'list-sessions']

/** The session API: what the dashboard needs before someone is signed in, and to end it. */
export function addSessionRoutes(
  server: TypedServer,
  app: App,
  sessions: SessionApi,
  openSignUp: boolean,
): void {
  const signIns = limited(app, app.signIns, 'sign-in', SIGN_INS)
  server.post(
    '/api/auth/sign-in/email',
    { schema: { hide: true, body: SignInBody }, onRequest: [refuseOtherSites, signIns.refuseKnown] },
    (request, reply) => {
      const attempts = attemptsOfEmail(request.body.email)
      app.attempts.refuseKnown(attempts)
      return signIns.pass(request, async () => {
        // After the limit of the address: who is stopped there does not use up the email's attempts.
        await app.attempts.count(attempts, SIGN_INS_OF_EMAIL)
        const webRequest = toWebRequest(request, request.body)
        return sendAnswer(reply, await sessions.signIn(webRequest, request.body))
      })
    },
  )

  const signUps = limited(app, app.signIns, 'sign-up', SIGN_UPS)
  server.post(
    '/api/auth/sign-up/email',
    { schema: { hide: true, body: SignUpBody }, onRequest: [refuseOtherSites, signUps.refuseKnown] },
    (request, reply) =>
      signUps.pass(request, async () => {
        const { email, password } = request.body
        const { hash } = await signUp(app, request.body, openSignUp)
        const credentials = { email, password }
        const webRequest = toWebRequest(request, credentials)
        return sendAnswer(reply, await sessions.signInAfterSignUp(webRequest, credentials, hash))
      }),
  )

  const changes = limited(app, app.signIns, 'change-password', PASSWORD_CHANGES)
  server.post(
    '/api/auth/change-password',
    { schema: { hide: true, body: PasswordChangeBody }, onRequest: [refuseOtherSites, changes.refuseKnown] },
    (request, reply) =>
      changes.pass(request, async () => {
        // Who changes a password may have lost it to somebody else.
        const body = { ...request.body, revokeOtherSessions: true }
        return sendAnswer(reply, await sessions.handle(toWebRequest(request, body)))
      }),
  )

  server.post(
    '/api/auth/sign-out',
    { schema: { hide: true }, onRequest: refuseOtherSites },
    async (request, reply) =>
      sendAnswer(reply, await sessions.signOut(toWebRequest(request, request.body), cookieOf(request))),
  )

  for (const path of FORWARDED) {
    server.get(
      `/api/auth/${path}`,
      { schema: { hide: true }, onRequest: refuseOtherSites },
      async (request: FastifyRequest, reply: FastifyReply) => {
        // The library takes milliseconds to say that nobody is signed in, and anyone may ask.
        if (!(await findSession(request))) return refuse(path, reply)
        return sendAnswer(reply, await sessions.handle(toWebRequest(request, request.body)))
      },
    )
  }

  server.post(
    '/api/auth/revoke-session',
    { schema: { hide: true, body: SessionNameBody }, onRequest: refuseOtherSites },
    async (request) => {
      const session = await requireSession(request)
      return { status: true, revoked_tokens: await revokeSession(app, session, request.body.token) }
    },
  )

  server.post(
    '/api/auth/revoke-other-sessions',
    { schema: { hide: true }, onRequest: refuseOtherSites },
    async (request) => {
      const session = await requireSession(request)
      return { status: true, revoked_tokens: await revokeOtherSessions(app, session) }
    },
  )

  const cookieOf = ({ headers }: FastifyRequest) => readCookie(headers.cookie, sessions.cookieName)

  async function findSession(request: FastifyRequest): Promise<Session | null> {
    const cookie = cookieOf(request)
    return cookie === null ? null : sessions.find(cookie)
  }

  async function requireSession(request: FastifyRequest): Promise<Session> {
    const session = await findSession(request)
    if (!session) throw notSignedIn()
    return session
  }

  server.get('/api/session-settings', { schema: { hide: true } }, async () => ({ open_sign_up: openSignUp }))

  // The key is in the body: paths and queries end up in the logs of proxies.
  const lookups = limited(app, app.invitationLookups, 'invitation', INVITATION_LOOKUPS)
  server.post(
    '/api/invitations/lookup',
    { schema: { hide: true, body: InvitationKeyBody }, onRequest: [refuseOtherSites, lookups.refuseKnown] },
    (request) =>
      lookups.pass(request, async () => {
        const { email, claimsUserId } = await getOpenInvitation(app, request.body.key)
        return { email, purpose: claimsUserId === null ? 'invitation' : 'first-account' }
      }),
  )
}

/** To who is signed in, the answer may be: nobody. */
function refuse(path: string, reply: FastifyReply): FastifyReply {
  if (path !== 'get-session') throw notSignedIn()
  return reply.send(null)
}

async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  if (isFromBrowser(request)) requireSameOrigin(request)
}

/** What strangers may ask for: first from memory, then by turns, then by the count of their address for all servers. */
function limited(app: App, doorway: Doorway, what: string, rule: AttemptRule) {
  const keyOf = (request: FastifyRequest) => `${what}|${callerOf(request).address}`
  return {
    refuseKnown: async (request: FastifyRequest): Promise<void> => app.attempts.refuseKnown(keyOf(request)),
    pass: <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> =>
      doorway.pass(callerOf(request), async () => {
        await app.attempts.count(keyOf(request), rule)
        return work()
      }),
  }
}
