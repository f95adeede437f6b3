import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TypedServer } from './typed-server.ts'

/** Made by `npm run build`; from the sources and from the npm package's dist/ it is at the same place. */
const DIST = fileURLToPath(new URL('../../dashboard/dist/', import.meta.url))
const INDEX = 'index.html'

/** The page runs its own scripts and styles, and speaks to this service alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** What is not the dashboard's: unknown paths below these keep their JSON answer. */
const OTHERS = /^\/(?:v1|api|docs|assets|openapi\.json|healthz|readyz)(?:\/|$)/

/** Serves the dashboard at `/`. Its own paths, such as /claims/…, all answer the one page. */
export async function addDashboard(server: TypedServer): Promise<void> {
  const isBuilt = existsSync(`${DIST}${INDEX}`)
  await server.register(fastifyStatic, {
    root: DIST,
    serve: isBuilt,
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    preCompressed: true,
    cacheControl: false,
    setHeaders,
  })
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404 || !isNavigation(request)) return
    return isBuilt ? reply.sendFile(INDEX) : sendNotBuilt(reply)
  })
}

/** A browser that goes to a page, rather than a program that asks for a path which is not there. */
function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] as string
  return (
    (method === 'GET' || method === 'HEAD') &&
    (headers.accept ?? '').includes('text/html') &&
    !OTHERS.test(path)
  )
}

/** Names of assets contain the hash of their content: they never change. All else is asked for anew. */
function setHeaders(reply: FastifyReply, path: string): void {
  const isHashed = path.startsWith(`${DIST}assets/`)
  reply.header('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
  reply.header('Content-Security-Policy', POLICY)
  reply.header('Referrer-Policy', 'same-origin')
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', "default-src 'none'")
    .serializer((html: string) => html)
    .send(
      '<!doctype html><title>Claimkeeper</title><p>The dashboard is not built: run <code>npm run build</code> and start ' +
        'again. The API works without it; its reference is at <a href="/docs">/docs</a>.',
    )
}
