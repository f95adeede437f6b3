import type { FastifySchemaCompiler } from 'fastify'
import type { App } from '../app/app.ts'
import type { SessionApi } from '../app/sessions/session-api.ts'
import { advanceTestClock } from '../app/test-clocks/advance-test-clock.ts'
import { invitationRoutes } from './accounts/invitations.ts'
import { meRoutes } from './accounts/me.ts'
import { tokenRoutes } from './accounts/tokens.ts'
import { BodyBudget } from './bounds/body-budget.ts'
import type { RateCounter } from './bounds/rate-counts.ts'
import { limitRate } from './bounds/rate-limit.ts'
import { type RequestMemory, WorkMemory } from './bounds/work-memory.ts'
import { claimSchemaRoutes } from './claim-schemas.ts'
import { candidateRoutes } from './claims/candidates.ts'
import { claimBatchRoutes } from './claims/claim-batches.ts'
import { claimRoutes } from './claims/claims.ts'
import { metadataChangeRoutes } from './claims/metadata-changes.ts'
import { simulateContractRoute } from './claims/simulations.ts'
import { customerRoutes } from './customers.ts'
import { addEventBatchRoute } from './events/event-batches.ts'
import { listEventTypesRoute } from './events/event-types.ts'
import { eventRoutes } from './events/events.ts'
import { authenticate } from './identity/authenticate.ts'
import { notificationSettingsRoutes } from './notifications/notification-settings.ts'
import { listNotificationsRoute } from './notifications/notifications.ts'
import { HEARTBEAT_MS } from './notifications/stream-notifications.ts'
import { getOverviewRoute } from './overview.ts'
import { compressAnswer, mayAnswerMuch } from './protocol/compress-answer.ts'
import { schemaVersionRoutes } from './schema-versions.ts'
import { testClockRoutes } from './test-clocks.ts'
import type { TypedServer } from './typed-server.ts'
import { webhookDeliveryRoutes } from './webhooks/webhook-deliveries.ts'
import { webhookEndpointActionRoutes } from './webhooks/webhook-endpoint-actions.ts'
import { webhookEndpointRoutes } from './webhooks/webhook-endpoints.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the account is not known: such bodies are small. */
    memory: RequestMemory | null
  }
}

interface V1Options {
  app: App
  sessions: SessionApi
  /** Of the schemas of bodies, for items of their lists. */
  compile: FastifySchemaCompiler<object>
  /** Counts requests, and items of batches, of each account; null for no limit. */
  rates: RateCounter | null
  /** Schemas of an account. */
  mostSchemas: number
  /** Of streams that have nothing to tell. */
  heartbeatMs?: number
  /** Whether webhooks may go to any address. */
  allowPrivateWebhooks: boolean
  /** Allowed ports below 1024, in addition to 80 and 443. */
  webhookPorts?: readonly number[]
}

/** Every path under /v1: who asks is known, and what an account may cost is bounded. */
export async function addV1(api: TypedServer, options: V1Options): Promise<void> {
  const { app, sessions, compile, rates, mostSchemas, heartbeatMs = HEARTBEAT_MS } = options
  const webhookRules = { allowPrivate: options.allowPrivateWebhooks, ports: options.webhookPorts ?? [] }
  api.addHook('onRequest', authenticate(app, sessions))
  if (rates) limitRate(api, rates)
  const memory = new WorkMemory()
  const bodies = new BodyBudget()
  api.addHook('preParsing', memory.begin)
  api.addHook('preParsing', bodies.admit)
  api.addHook('onSend', memory.end)
  api.addHook('onSend', bodies.answer)

  // At the end of all, when it is known what is sent.
  api.addHook('onRoute', (route) => {
    if (!mayAnswerMuch(route.method, route.config?.items !== undefined)) return
    route.onSend = [...[route.onSend ?? []].flat(), compressAnswer]
  })

  // In the order in which the OpenAPI document shows them.
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
    ...claimSchemaRoutes(app, mostSchemas),
    ...schemaVersionRoutes(app),
    ...customerRoutes(app),
    ...testClockRoutes(app, advanceTestClock),
    listEventTypesRoute(app),
    simulateContractRoute(app, compile),
    getOverviewRoute(app),
    listNotificationsRoute({ app, sessions, heartbeatMs }),
    ...notificationSettingsRoutes(app),
    ...webhookEndpointRoutes(app, webhookRules),
    ...webhookEndpointActionRoutes(app),
    ...webhookDeliveryRoutes(app),
    ...meRoutes(app),
    ...tokenRoutes(app),
    ...invitationRoutes(app),
  ]
  for (const one of others) api.route(one)
}
