import { readFileSync } from 'node:fs'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Marked } from 'marked'
import { packageFile } from '../../../installed-files.ts'
import { ERRORS } from '../../../kernel/error-catalogue.ts'
import { type ErrorCode, ServiceError } from '../../../kernel/errors.ts'
import { createStaticResponse, type StaticResponse, sendStatic } from '../responses/static-response.ts'
import type { TypedServer } from '../route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

/** The reference starts an inline script and loads nothing from other hosts. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/** The pages for people: the API reference, the specification, a page for each error code, and the OpenAPI document. */
export function addReference(server: TypedServer): void {
  const documentation = once(() => createStaticResponse(JSON.stringify(server.swagger()), JSON_TYPE))
  server.get('/openapi.json', { schema: { hide: true } }, (request, reply) =>
    sendStatic(request, reply, documentation()),
  )

  const errorPages = once(
    () => new Map(Object.keys(ERRORS).map((code) => [code, toAnswer(errorPage(code as ErrorCode))] as const)),
  )
  const allErrors = once(() => toAnswer(errorsPage()))
  server.get('/docs/errors', { schema: { hide: true } }, (request, reply) =>
    sendStatic(request, reply, allErrors()),
  )
  server.get('/docs/errors/:code', { schema: { hide: true } }, (request, reply) => {
    const page = errorPages().get((request.params as { code: string }).code)
    if (!page) throw new ServiceError('ROUTE_NOT_FOUND', 'There is no such error code.')
    return sendStatic(request, reply, page)
  })

  const specification = once(() => toAnswer(specificationPage()))
  server.get('/docs/specification', { schema: { hide: true } }, (request, reply) =>
    sendStatic(request, reply, specification()),
  )

  // Made at the first request, because it takes megabytes of memory. The next request retries after a failure.
  let reading: Promise<Map<string, StaticResponse>> | null = null
  const reference = () => {
    reading ??= readReference().catch((error) => {
      reading = null
      throw error
    })
    return reading
  }
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] as string
    if (path === '/docs') return reply.redirect('/docs/', 301)
    const file = (await reference()).get(path)
    if (!file) throw new ServiceError('ROUTE_NOT_FOUND')
    return sendStatic(request, reply, file)
  }
  for (const path of ['/docs', '/docs/*']) server.get(path, { schema: { hide: true } }, answer)
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const toAnswer = (page: string): StaticResponse =>
  createStaticResponse(page, HTML_TYPE, pageHeaders(PAGE_POLICY))

/** The page and its script, by path, requested once from a server without a port. */
async function readReference(): Promise<Map<string, StaticResponse>> {
  const server = await createReference()
  const files = new Map<string, StaticResponse>()
  for (const url of ['/docs/', '/docs/js/scalar.js']) {
    const { rawPayload, headers } = await server.inject({ url })
    files.set(
      url,
      createStaticResponse(rawPayload, `${headers['content-type']}`, pageHeaders(REFERENCE_POLICY)),
    )
  }
  await server.close()
  return files
}

/** The API reference on a server without a port. */
async function createReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const server = fastify()
  await server.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      title: 'Claimkeeper API',
      url: '/openapi.json',
      // Loads nothing from other hosts and sends nothing to them.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  })
  return server
}

/** The page behind an error's doc_url: what happened and what to do. */
function errorPage(code: ErrorCode): string {
  const { status, type, title, help } = ERRORS[code]
  const others = Object.keys(ERRORS)
    .map((name) => (name === code ? `<li>${name}</li>` : `<li>${linkTo(name)}</li>`))
    .join('')
  return page(
    code,
    `<main>
<h1><code>${code}</code></h1>
<p class="status">HTTP ${status} · <code>${type}</code></p>
<p><strong>${toHtml(title)}</strong></p>
<p>${toHtml(help)}</p>
</main>
<nav><p><a href="/docs">API reference</a> · <a href="/docs/specification">Specification</a> · <a href="/docs/errors">All error codes</a>:</p><ul>${others}</ul></nav>`,
  )
}

/** The page of all error codes. */
function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, title }]) =>
      `<dt>${linkTo(code)} <span class="status">HTTP ${status}</span></dt><dd>${toHtml(title)}</dd>`,
  )
  return page(
    'Error codes',
    `<main>
<h1>Error codes</h1>
<dl>${rows.join('\n')}</dl>
</main>
<nav><p><a href="/docs">API reference</a> · <a href="/docs/specification">Specification</a></p></nav>`,
  )
}

const linkTo = (code: string) => `<a href="/docs/errors/${code}">${code}</a>`

/** The catalogue's texts use backticks for code. */
function toHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]*)`/g, '<code>$1</code>')
}

/** The path is the same from the sources and from the npm package's dist/. */
const SPECIFICATION = packageFile('docs/spec.md')

/** The specification as a page. Section numbers are its anchors: `#2.1` is §2.1. */
function specificationPage(): string {
  const contents: string[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const number = /^[0-9.]*[0-9][a-z]?/.exec(text)?.[0]
        if (number === undefined) return `<h${depth}>${this.parser.parseInline(tokens)}</h${depth}>\n`
        contents.push(`<li><a href="#${number}">${text}</a></li>`)
        return `<h${depth} id="${number}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, text }) {
        return `<a href="${href === 'errors.md' ? '/docs/errors' : href}">${text}</a>`
      },
    },
  })
  const body = linkSections(marked.parse(readFileSync(SPECIFICATION, 'utf8'), { async: false }))
  return page(
    'Specification',
    `<nav><p><a href="/docs">API reference</a> · <a href="/docs/errors">All error codes</a></p>
<ul>${contents.join('')}</ul></nav>
<main>
${body}</main>`,
  )
}

const linkSections = (html: string) =>
  html
    .replaceAll(/§([0-9]+(?:\.[0-9]+[a-z]?)?)/g, '<a href="#$1">§$1</a>')
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>')

/**
 * The headers of pages and their resources. Pages of other sites get no reference to the window (COOP), and cannot embed the page or its
 * resources (CORP).
 */
export const pageHeaders = (policy: string) => ({
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
})

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
  body { overflow-wrap: break-word; max-width: 42rem; margin: 3rem auto; padding: 0 1.25rem; }
  h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
  code { font-family: ui-monospace, monospace; font-size: 0.95em; background: color-mix(in srgb, currentColor 10%, transparent); padding: 0.1em 0.35em; border-radius: 0.3em; }
  .status { color: color-mix(in srgb, currentColor 65%, transparent); }
  dt { margin-top: 1rem; font-weight: 600; overflow-wrap: anywhere; }
  dt .status { font-weight: 400; }
  dd { margin: 0; }
  nav { margin-top: 2.5rem; font-size: 0.9rem; }
  nav ul { padding-left: 1.1rem; columns: 18rem; }
  a { color: inherit; }
  h2, h3 { margin-top: 2.5rem; }
  h2 { font-size: 1.2rem; }
  h3 { font-size: 1rem; }
  pre { overflow-x: auto; padding: 0.75rem 1rem; border-radius: 0.3em; background: color-mix(in srgb, currentColor 10%, transparent); }
  pre code { background: none; padding: 0; }
  .table { overflow-x: auto; }
  table { border-collapse: collapse; font-size: 0.9rem; }
  th, td { padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }`

/** A page of text that loads nothing. */
const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Claimkeeper</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
