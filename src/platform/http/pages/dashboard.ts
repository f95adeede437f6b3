import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { packageFile } from '../../../installed-files.ts'
import { chooseCoding, prefersType } from '../responses/quality-values.ts'
import { createStaticResponse, type StaticResponse, sendStatic } from '../responses/static-response.ts'
import type { TypedServer } from '../route.ts'
import { pageHeaders } from './reference.ts'

/** Made by `npm run build`. The path is the same from the sources and from the npm package's dist/. */
const DIST = fileURLToPath(packageFile('dashboard/dist/'))
const INDEX = 'index.html'

/** The page runs only its own scripts and styles, and connects only to this service. */
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

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Paths of the service: unknown paths below them keep their JSON response. */
const OTHERS = /^\/(?:v1|api|docs|assets|openapi\.json|healthz|readyz)(?:\/|$)/

/** Serves the dashboard at `/`, from memory. All paths of the dashboard, such as /claims/…, return the same page. */
export function addDashboard(server: TypedServer): void {
  const files = readFiles()
  const index = files.get(INDEX)
  for (const [path, file] of files) {
    server.get(`/${path}`, { schema: { hide: true } }, (request, reply) => sendFile(request, reply, file))
  }
  if (index) server.get('/', { schema: { hide: true } }, (request, reply) => sendFile(request, reply, index))
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || !isNavigation(request)) done()
    else if (index) sendFile(request, reply, index)
    else sendNotBuilt(reply)
  })
}

/** By path below the folder. Empty if the dashboard is not built. */
function readFiles(): Map<string, File> {
  if (!existsSync(`${DIST}${INDEX}`)) return new Map()
  const paths = readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(DIST, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
  return new Map(
    paths.filter((path) => !/\.(br|gz)$/.test(path)).map((path) => [path, readVariants(path, paths)]),
  )
}

/** A file in each encoding that was built. */
type File = { encoding: string; answer: StaticResponse }[]

const ENCODINGS = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'gzip', extension: '.gz' },
  { encoding: 'identity', extension: '' },
]

function readVariants(path: string, paths: string[]): File {
  const type = TYPES[extname(path)] ?? 'application/octet-stream'
  return ENCODINGS.filter(({ extension }) => paths.includes(path + extension)).map(
    ({ encoding, extension }) => {
      const headers = { ...headersOf(path), ...(extension ? { 'Content-Encoding': encoding } : {}) }
      return { encoding, answer: createStaticResponse(readFileSync(DIST + path + extension), type, headers) }
    },
  )
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  const codings = file.map(({ encoding }) => encoding)
  const coding = chooseCoding(request.headers['accept-encoding'], codings) ?? 'identity'
  const chosen = file.find(({ encoding }) => encoding === coding)
  return sendStatic(request, reply, (chosen as File[number]).answer)
}

/** Whether a browser navigates to a page, rather than a program that requests a path. */
function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] as string
  return (
    (method === 'GET' || method === 'HEAD') &&
    prefersType(headers.accept, 'text/html', 'application/json') &&
    !OTHERS.test(path)
  )
}

/** Names of assets contain the hash of their content, so assets never change. Everything else is revalidated. */
const headersOf = (path: string) => ({
  'Cache-Control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  ...pageHeaders(POLICY),
  Vary: 'Accept-Encoding',
})

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers(pageHeaders("default-src 'none'"))
    .serializer((html: string) => html)
    .send(
      '<!doctype html><title>Claimkeeper</title><p>The dashboard is not built: run <code>npm run build</code> and start ' +
        'again. The API works without it; its reference is at <a href="/docs">/docs</a>.',
    )
}
