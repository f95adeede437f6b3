import type { FastifyRequest } from 'fastify'
import type { App } from '../app/app.ts'
import { authenticateToken } from '../app/authenticate-token.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the API token; on every route under /v1. */
    userId: string
  }
}

/** The hook of every route under /v1 (§5 rule 1); it runs before the body is read. */
export function authenticate(app: App) {
  return async (request: FastifyRequest): Promise<void> => {
    request.userId = await authenticateToken(app, request.headers.authorization)
  }
}
