import type { FastifySchemaCompiler } from 'fastify'
import { authenticate } from '../../accounts/identity/authenticate.ts'
import { invitationRoutes } from '../../accounts/invitations/invitation-routes.ts'
import { meRoutes } from '../../accounts/me-routes.ts'
import type { SessionApi } from '../../accounts/sessions/session-api.ts'
import { tokenRoutes } from '../../accounts/tokens/token-routes.ts'
import type { App } from '../../app.ts'
import { calendarRoutes } from '../../calendars/calendar-routes.ts'
import { calendarVersionRoutes } from '../../calendars/calendar-version-routes.ts'
import { advanceTestClock } from '../../checks/advance-test-clock.ts'
import { claimSchemaRoutes } from '../../claim-schemas/claim-schema-routes.ts'
import { schemaVersionRoutes } from '../../claim-schemas/claim-schema-version-routes.ts'
import { candidateRoutes } from '../../claims/candidate-routes.ts'
import { claimBatchRoutes } from '../../claims/claim-batch-routes.ts'
import { claimRoutes, metadataChangeRoutes } from '../../claims/claim-routes.ts'
import { customerRoutes } from '../../customers/customer-routes.ts'
import { addEventBatchRoute } from '../../events/event-batch-routes.ts'
import { eventRoutes } from '../../events/event-routes.ts'
import { listEventTypesRoute } from '../../events/event-type-routes.ts'
import { HEARTBEAT_INTERVAL_MS } from '../../notifications/limits.ts'
import { listNotificationsRoute } from '../../notifications/notification-routes.ts'
import { notificationSettingsRoutes } from '../../notifications/notification-settings-routes.ts'
import { getOverviewRoute } from '../../overview/overview-routes.ts'
import { limitRate, type RateCounter } from '../../platform/http/admission/rate-limit.ts'
import { MemoryLimit } from '../../platform/http/admission/request-memory.ts'
import { compressAnswer, mayAnswerMuch } from '../../platform/http/responses/compress-answer.ts'
import type { TypedServer } from '../../platform/http/route.ts'
import { simulateContractRoute } from '../../simulation/simulation-routes.ts'
import { testClockRoutes } from '../../test-clocks/test-clock-routes.ts'
import { webhookDeliveryRoutes } from '../../webhooks/webhook-delivery-routes.ts'
import { webhookEndpointRoutes } from '../../webhooks/webhook-endpoint-routes.ts'

interface V1Options {
  app: App
  sessions: SessionApi
  /** Compiles the schemas of bodies, for the items of lists. */
  compile: FastifySchemaCompiler<object>
  /** Counts the requests and batch items of each account. Null without a rate limit. */
  rates: RateCounter | null
  /** Claim schemas of an account. */
  maxSchemas: number
  /** Calendars of an account, including deleted ones. */
  maxCalendars: number
  /** Milliseconds without data after which a stream sends a heartbeat. */
  heartbeatMs?: number
  /** Allows any address for webhooks. */
  allowPrivateWebhooks: boolean
  /** Allowed ports below 1024, in addition to 80 and 443. */
  webhookPorts?: readonly number[]
}

/** Adds all paths under /v1, behind authentication and the limits of accounts. */
export async function addV1(api: TypedServer, options: V1Options): Promise<void> {
  const { app, sessions, compile, rates, heartbeatMs = HEARTBEAT_INTERVAL_MS } = options
  const webhookRules = { allowPrivate: options.allowPrivateWebhooks, ports: options.webhookPorts ?? [] }
  api.addHook('onRequest', authenticate(app, sessions))
  if (rates) limitRate(api, rates)
  new MemoryLimit().addTo(api)

  // The last hook, when the response is final.
  api.addHook('onRoute', (route) => {
    if (!mayAnswerMuch(route.method, route.config?.items !== undefined)) return
    route.onSend = [...[route.onSend ?? []].flat(), compressAnswer]
  })

  // In the order of the OpenAPI document.
  const upToEvents = [
    ...claimRoutes(app),
    ...candidateRoutes(app),
    ...metadataChangeRoutes(app),
    ...eventRoutes(app),
  ]
  for (const one of upToEvents) api.route(one)
  await addEventBatchRoute(api, app, compile)
  const others = [
    ...claimBatchRoutes(app, compile),
    ...claimSchemaRoutes(app, options.maxSchemas),
    ...schemaVersionRoutes(app),
    ...calendarRoutes(app, options.maxCalendars),
    ...calendarVersionRoutes(app),
    ...customerRoutes(app),
    ...testClockRoutes(app, advanceTestClock),
    listEventTypesRoute(app),
    simulateContractRoute(app, compile),
    getOverviewRoute(app),
    listNotificationsRoute({ app, sessions, heartbeatMs }),
    ...notificationSettingsRoutes(app),
    ...webhookEndpointRoutes(app, webhookRules),
    ...webhookDeliveryRoutes(app),
    ...meRoutes(app),
    ...tokenRoutes(app),
    ...invitationRoutes(app),
  ]
  for (const one of others) api.route(one)
}
