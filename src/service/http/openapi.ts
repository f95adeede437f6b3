import swagger from '@fastify/swagger'
import packageJson from '../../../package.json' with { type: 'json' }
import { ACCOUNT_COMPONENTS } from '../../accounts/account-bodies.ts'
import { sessionCookieName } from '../../accounts/sessions/session-cookie.ts'
import { CALENDAR_COMPONENTS } from '../../calendars/calendar-bodies.ts'
import { ChangedClaimSchemaBody, ClaimSchemaBody } from '../../claim-schemas/claim-schema-routes.ts'
import { SchemaVersionBody } from '../../claim-schemas/claim-schema-version-routes.ts'
import { CLAIM_COMPONENTS } from '../../claims/claim-bodies.ts'
import {
  CONTRACT_COMPONENTS,
  EXPLAINED_CONDITION,
  ExplanationBody,
  HintBody,
} from '../../contracts/contract-bodies.ts'
import { CustomerBody } from '../../customers/customer-routes.ts'
import { EVENT_LINES } from '../../events/event-batch-routes.ts'
import { NotificationBody } from '../../notifications/notification-bodies.ts'
import { NOTIFICATION_STREAM } from '../../notifications/notification-routes.ts'
import { NotificationSettingsBody } from '../../notifications/notification-settings-routes.ts'
import { OverviewBody } from '../../overview/overview-routes.ts'
import { deepenParameters } from '../../platform/http/openapi/deep-parameters.ts'
import { plainTypes } from '../../platform/http/openapi/plain-types.ts'
import { shareComponents } from '../../platform/http/openapi/share-components.ts'
import { shareErrors } from '../../platform/http/openapi/share-errors.ts'
import { splitStreams } from '../../platform/http/openapi/split-streams.ts'
import { ErrorBody } from '../../platform/http/responses/responses.ts'
import type { TypedServer } from '../../platform/http/route.ts'
import { SimulationBody } from '../../simulation/simulation-bodies.ts'
import {
  AdvancedTestClockBody,
  TestClockBody,
  TestClockThenBody,
} from '../../test-clocks/test-clock-routes.ts'
import {
  NewWebhookEndpointBody,
  RotatedWebhookEndpointBody,
  WebhookDeliveryBody,
  WebhookEndpointBody,
  WholeWebhookDeliveryBody,
} from '../../webhooks/webhook-bodies.ts'

const DESCRIPTION = `Did the promised outcome happen, yes or no? Claimkeeper holds claims, each with an
immutable contract, takes events, and resolves every claim to CONFIRMED or FAILED.

A claim is OPEN until its condition is satisfied by its events or its activity window elapses; then PENDING for
the review window; then CONFIRMED or FAILED for ever. Changes under /v1 are additive: ignore fields that you do
not know.

§ refers to the [specification](/docs/specification), which states every rule and limit.`

/** The streamed form of an operation, by the operation id of its JSON form. */
const STREAMS = { submitEvents: EVENT_LINES, listNotifications: NOTIFICATION_STREAM }

/** Makes the OpenAPI document from the schemas of the routes. Must be called before the routes are added. */
export async function addOpenApi(server: TypedServer): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Claimkeeper',
        version: packageJson.version,
        summary: 'Did the promised outcome happen, yes or no?',
        description: DESCRIPTION.replaceAll(/(?<!\n)\n(?!\n)/g, ' '),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags: [
        { name: 'Claims', description: 'Contracts of customers. Each claim becomes CONFIRMED or FAILED.' },
        { name: 'Candidates', description: 'Claims that are addressed by an alias of the caller’s choice.' },
        { name: 'Events', description: 'Submissions of what happened.' },
        { name: 'Schemas', description: 'Reusable claim templates.' },
        {
          name: 'Calendars',
          description: 'Working time: weeks, holidays and exceptions in a time zone.',
        },
        { name: 'Customers', description: 'The customer of claims and candidates.' },
        { name: 'Overview', description: 'The figures of the account.' },
        {
          name: 'Notifications',
          description: 'Changes of claims, candidates and test clocks, in order.',
        },
        { name: 'Webhooks', description: 'Notifications that are sent to the account’s own servers.' },
        { name: 'Test clocks', description: 'Test windows of days in seconds.' },
        {
          name: 'Simulations',
          description: 'Decisions of a contract over events, without storing anything.',
        },
        { name: 'Account', description: 'The caller’s account.' },
        { name: 'Tokens', description: 'API tokens of the account.' },
        { name: 'Invitations', description: 'Links with which other people sign up.' },
        { name: 'Health', description: 'Health checks for operators.' },
      ],
      components: {
        securitySchemes: {
          apiToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API token: `ck_` and 43 characters (§5).',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName(false),
            description:
              'The session cookie of the dashboard, in place of a token. Over https its name has the prefix `__Host-`. Requests that change something must come from the service’s own pages.',
          },
        },
      },
      security: [{ apiToken: [] }, { session: [] }],
    },
    transformObject: (generated) => {
      const document = 'openapiObject' in generated ? generated.openapiObject : generated.swaggerObject
      const split = splitStreams(deepenParameters(shareErrors(document)), STREAMS)
      return shareComponents(plainTypes(split))
    },
    refResolver: { buildLocalReference: (schema, _base, _fragment, i) => `${schema.$id ?? `schema-${i}`}` },
  })
  for (const component of [
    ...CONTRACT_COMPONENTS,
    ...CLAIM_COMPONENTS,
    ClaimSchemaBody,
    ChangedClaimSchemaBody,
    SchemaVersionBody,
    ...CALENDAR_COMPONENTS,
    CustomerBody,
    TestClockBody,
    AdvancedTestClockBody,
    OverviewBody,
    TestClockThenBody,
    NotificationBody,
    NotificationSettingsBody,
    WebhookEndpointBody,
    NewWebhookEndpointBody,
    RotatedWebhookEndpointBody,
    WebhookDeliveryBody,
    WholeWebhookDeliveryBody,
    EXPLAINED_CONDITION,
    HintBody,
    ExplanationBody,
    SimulationBody,
    ...ACCOUNT_COMPONENTS,
    ErrorBody,
  ]) {
    server.addSchema(component)
  }
}
