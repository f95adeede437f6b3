import { Type } from 'typebox'
import type { App } from '../app/app.ts'
import { shareReadiness } from '../app/share-readiness.ts'
import { errorResponses } from './schemas/responses.ts'
import type { TypedServer } from './typed-server.ts'

const tags = ['Health']

/** For those who watch over the service; without a token. */
export function addHealthRoutes(server: TypedServer, app: App): void {
  const requireReady = shareReadiness(app)

  server.get(
    '/healthz',
    {
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
    },
    async () => ({ status: 'alive' }) as const,
  )

  server.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Can it serve? The database is reachable, migrated, and takes writes.',
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
    },
    async () => {
      await requireReady()
      return { status: 'ready' } as const
    },
  )
}
