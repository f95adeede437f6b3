import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { IDEMPOTENCY_ERRORS, idempotentRoute } from '../../idempotency/idempotency-key.ts'
import { publicUrl } from '../../platform/http/connections/forwarded-headers.ts'
import { Uuid } from '../../platform/http/responses/field-schemas.ts'
import { sendJson } from '../../platform/http/responses/json-stream.ts'
import { presentEach } from '../../platform/http/responses/lists.ts'
import { BODY_ERRORS, ref, responses } from '../../platform/http/responses/responses.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { CreatedInvitationBody, InvitationBody, NewInvitationBody } from '../account-bodies.ts'
import { requireSession } from '../identity/authenticate.ts'
import { MAX_ENDED_INVITATIONS_PER_ACCOUNT, MAX_OPEN_INVITATIONS_PER_ACCOUNT } from '../limits.ts'
import { presentInvitation } from '../present-account.ts'
import { createInvitation, invitationUrl, listInvitations, revokeInvitation } from './invitations.ts'

/** API tokens are not accepted: an invitation grants access. */
const security = [{ session: [] }]
const tags = ['Invitations']

export const invitationRoutes = (app: App): Route[] => [
  createInvitationRoute(app),
  listInvitationsRoute(app),
  revokeInvitationRoute(app),
]

const createInvitationRoute = (app: App) =>
  idempotentRoute(app, {
    hasSecret: true,
    method: 'POST',
    url: '/v1/invitations',
    onRequest: requireSession,
    schema: {
      security,
      operationId: 'createInvitation',
      summary: 'Invite someone',
      description: `Invites a person to sign up for an account of their own, which cannot see this account. The link works once, for 7 days. An account has at most ${MAX_OPEN_INVITATIONS_PER_ACCOUNT.toLocaleString('en')} open invitations.`,
      tags,
      body: NewInvitationBody,
      response: responses({ 201: { description: 'The invitation.', schema: ref(CreatedInvitationBody) } }, [
        ...IDEMPOTENCY_ERRORS,
        'SESSION_REQUIRED',
        'INVITATION_LIMIT_REACHED',
      ]),
    },
    answer: async ({ userId, write }, request) => {
      const { invitation, key } = await createInvitation(write, {
        email: request.body.email ?? null,
        invitedBy: userId,
      })
      // A new invitation is unused.
      const { used_at: _, ...body } = presentInvitation(invitation)
      return { status: 201, body: { ...body, url: invitationUrl(publicUrl(request), key) } }
    },
  })

const listInvitationsRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/invitations',
    onRequest: requireSession,
    schema: {
      security,
      operationId: 'listInvitations',
      summary: 'List invitations',
      description: `The account’s invitations that were not revoked, newest first. Of used or expired invitations, the newest ${MAX_ENDED_INVITATIONS_PER_ACCOUNT.toLocaleString('en')} are kept.`,
      tags,
      querystring: Type.Object({}, { additionalProperties: false }),
      response: responses(
        {
          200: {
            description: 'The invitations.',
            schema: Type.Object({ data: Type.Array(ref(InvitationBody)) }),
          },
        },
        ['SESSION_REQUIRED'],
      ),
    },
    handler: (request, reply) =>
      sendJson(reply, { data: presentEach(listInvitations(app, request.userId), presentInvitation) }),
  })

const revokeInvitationRoute = (app: App) =>
  route({
    method: 'DELETE',
    url: '/v1/invitations/:id',
    onRequest: requireSession,
    schema: {
      security,
      operationId: 'revokeInvitation',
      summary: 'Revoke an invitation',
      description: 'The link stops working at once. An account that was created with it stays.',
      tags,
      params: Type.Object({ id: Uuid('The invitation.') }),
      response: responses({ 204: { description: 'Revoked.' } }, [
        ...BODY_ERRORS,
        'SESSION_REQUIRED',
        'INVITATION_NOT_FOUND',
      ]),
    },
    handler: async (request, reply) => {
      await revokeInvitation(app, request.userId, request.params.id.toLowerCase())
      return reply.code(204).send()
    },
  })
