import { Type } from 'typebox'
import type { App } from '../app.ts'
import { errorResponses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import { shareReadiness } from './readiness.ts'

const tags = ['Health']

/** Probes for load balancers and monitoring, without a token. */
export const healthRoutes = (app: App): Route[] => [getHealthRoute(), getReadinessRoute(app)]

const getHealthRoute = () =>
  route({
    method: 'GET',
    url: '/healthz',
    schema: {
      operationId: 'getHealth',
      summary: 'Is the process alive?',
      tags,
      security: [],
      response: {
        200: {
          description: 'It is.',
          content: { 'application/json': { schema: Type.Object({ status: Type.Literal('alive') }) } },
        },
        // While it stops.
        ...errorResponses(['VALIDATION_ERROR', 'UNAVAILABLE', 'INTERNAL_ERROR']),
      },
    },
    handler: async () => ({ status: 'alive' }) as const,
  })

function getReadinessRoute(app: App) {
  const requireReady = shareReadiness(app)
  return route({
    method: 'GET',
    url: '/readyz',
    schema: {
      operationId: 'getReadiness',
      summary: 'Can it serve? The database is reachable, migrated, takes writes, and lets claims be decided.',
      tags,
      security: [],
      response: {
        200: {
          description: 'It can.',
          content: { 'application/json': { schema: Type.Object({ status: Type.Literal('ready') }) } },
        },
        ...errorResponses(['VALIDATION_ERROR', 'UNAVAILABLE', 'INTERNAL_ERROR']),
      },
    },
    handler: async () => {
      await requireReady()
      return { status: 'ready' } as const
    },
  })
}
