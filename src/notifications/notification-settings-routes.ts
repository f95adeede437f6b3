import { type Static, Type } from 'typebox'
import type { App } from '../app.ts'
import type { NotificationSettings } from '../core/notifications.ts'
import { changedSince } from '../core/record-errors.ts'
import type { ExpectedVersions, Versioned } from '../core/records.ts'
import { IDEMPOTENCY_ERRORS, idempotentRoute } from '../idempotency/idempotency-key.ts'
import { type Context, inTransaction } from '../platform/database/context.ts'
import {
  etagHeader,
  expectedVersions,
  IfMatchHeader,
  IfNoneMatchHeader,
  sendWithETag,
} from '../platform/http/responses/entity-tags.ts'
import { ETAG, NOT_MODIFIED, ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import { readNotificationSettings, writeNotificationSettings } from './notification-settings-store.ts'

const FIELDS = {
  event_recorded: Type.Boolean({
    description:
      'Whether each recorded event creates a notification, `claim.event_recorded` or `candidate.event_recorded`, even if no webhook endpoint names these types.',
    examples: [true],
  }),
}

/** §4.13 */
export const NotificationSettingsBody = Type.Object(FIELDS, {
  $id: 'NotificationSettings',
  description: 'Optional notifications of the account.',
})

const ChangeBody = Type.Object(
  { event_recorded: Type.Optional(FIELDS.event_recorded) },
  { additionalProperties: false },
)

const tags = ['Notifications']

export const notificationSettingsRoutes = (app: App): Route[] => [
  getNotificationSettingsRoute(app),
  updateNotificationSettingsRoute(app),
]

const getNotificationSettingsRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/notification_settings',
    schema: {
      operationId: 'getNotificationSettings',
      summary: 'Read the notification settings',
      tags,
      headers: IfNoneMatchHeader,
      response: responses(
        {
          200: { description: 'The settings.', headers: ETAG, schema: ref(NotificationSettingsBody) },
          ...NOT_MODIFIED,
        },
        [],
      ),
    },
    handler: async (request, reply) => {
      const settings = await readNotificationSettings(app.db.reads.for(request.userId), request.userId)
      return sendWithETag(request, reply, settings.version, present(settings))
    },
  })

const updateNotificationSettingsRoute = (app: App) =>
  idempotentRoute(app, {
    method: 'PATCH',
    url: '/v1/notification_settings',
    schema: {
      operationId: 'updateNotificationSettings',
      summary: 'Change the notification settings',
      description: 'Applies to events that are submitted after the response.',
      tags,
      headers: IfMatchHeader,
      body: ChangeBody,
      response: responses(
        { 200: { description: 'The settings.', headers: ETAG, schema: ref(NotificationSettingsBody) } },
        [...IDEMPOTENCY_ERRORS, 'PRECONDITION_FAILED'],
      ),
    },
    answer: async (context, { body, headers }) => {
      const changes = { eventRecorded: body.event_recorded }
      const expected = expectedVersions(headers['if-match'])
      const settings = await changeNotificationSettings(context, changes, expected)
      return { headers: etagHeader(settings.version), body: present(settings) }
    },
  })

const present = ({ eventRecorded }: NotificationSettings): Static<typeof NotificationSettingsBody> => ({
  event_recorded: eventRecorded,
})

/**
 * Changes the given settings. Events that are submitted after the returned promise resolves use the new settings.
 * @throws PRECONDITION_FAILED
 */
async function changeNotificationSettings(
  context: Context,
  { eventRecorded }: { eventRecorded: boolean | undefined },
  expected: ExpectedVersions,
): Promise<Versioned<NotificationSettings>> {
  if (eventRecorded !== undefined) {
    return inTransaction(context, async ({ userId, read, write }) => {
      if (!(await writeNotificationSettings(write, userId, { eventRecorded }, expected)))
        throw changedSince('settings')
      return readNotificationSettings(read, userId)
    })
  }
  const settings = await readNotificationSettings(context.read, context.userId)
  if (expected !== null && !expected.includes(settings.version)) throw changedSince('settings')
  return settings
}
