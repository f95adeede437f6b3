import { readFile, writeFile } from 'node:fs/promises'
import { pino } from 'pino'
import { SETTINGS } from '../src/config/config.ts'
import { ERRORS } from '../src/kernel/error-catalogue.ts'
import { Database } from '../src/platform/database/database.ts'
import { CATALOGUE } from '../src/platform/observability/metric-catalogue.ts'
import { createApp } from '../src/service/create-app.ts'
import { createServer } from '../src/service/http/server.ts'

/*
 * Writes what is generated and committed: openapi.json, docs/errors.md, and the tables of docs/setup.md and docs/metrics.md.
 * With --check writes nothing, and fails where a file is stale.
 */

const ROOT = new URL('../', import.meta.url)

const FILES: Record<string, (current: string) => Promise<string> | string> = {
  'openapi.json': openApiDocument,
  'docs/errors.md': errorsPage,
  'docs/setup.md': withSettings,
  'docs/metrics.md': withMetrics,
}

async function openApiDocument(): Promise<string> {
  // The pool connects at the first statement, and there is none.
  const db = new Database({ connectionString: 'postgres://127.0.0.1', poolSize: 2 })
  const server = await createServer(createApp(db), {
    log: pino({ level: 'silent' }),
    publicUrl: '',
    rates: null,
    openSignUp: false,
    trustedProxies: null,
    mostConnections: 1,
    allowPrivateWebhooks: false,
    mostSchemas: 1,
  })
  await server.ready()
  const document = JSON.stringify(server.swagger(), null, 2)
  await server.close()
  await db.close()
  return `${document}\n`
}

function errorsPage(): string {
  const entries = Object.entries(ERRORS).map(
    ([code, { status, type, title, help }]) =>
      `## ${code}\n\nHTTP ${status} · \`${type}\`\n\n**${title}**\n\n${help}\n`,
  )
  return `<!-- Generated from src/kernel/error-catalogue.ts by \`npm run generate\`. -->

# Errors

Every error of every path has this body; \`details\` only where there is more to say. \`doc_url\` leads to a page
of the service with the text below, and \`request_id\` is also in the header \`X-Request-Id\`.

\`\`\`json
{
  "error": {
    "type": "invalid_request_error",
    "code": "VALIDATION_ERROR",
    "message": "contract.price: is required",
    "status": 400,
    "doc_url": "http://127.0.0.1:8080/docs/errors/VALIDATION_ERROR",
    "request_id": "req_6f1c1b9e-6f0b-4a53-8a51-0f4c8f1f7d10",
    "details": [{ "path": "contract.price", "message": "is required" }]
  }
}
\`\`\`

${entries.join('\n')}`
}

function withSettings(page: string): string {
  const rows = Object.values(SETTINGS).map(({ name, fallback, doc }) => [
    `\`${name}\``,
    fallback === null ? '' : `\`${fallback}\``,
    doc,
  ])
  return withTable(page, 'settings', ['Setting', 'Default', 'Meaning'], rows)
}

function withMetrics(page: string): string {
  const rows = Object.values(CATALOGUE).map(({ name, type, help, ...one }) => [
    `\`${name}\``,
    type,
    'labels' in one ? one.labels.map((label) => `\`${label}\``).join(', ') : '',
    help,
  ])
  return withTable(page, 'metrics', ['Metric', 'Type', 'Labels', 'Meaning'], rows)
}

/** The page with its table, between markers that say what it is of, made anew. */
function withTable(page: string, what: string, titles: string[], rows: string[][]): string {
  const [start, end] = [`<!-- ${what}: generated -->`, `<!-- /${what} -->`]
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const table = [line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n')
  const [before, rest] = page.split(start)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`a page lacks the markers ${start} and ${end}`)
  return `${before}${start}\n${table}\n${end}${after}`
}

const isCheck = process.argv.includes('--check')
for (const [name, generate] of Object.entries(FILES)) {
  const file = new URL(name, ROOT)
  const current = await readFile(file, 'utf8').catch(() => '')
  const fresh = await generate(current)
  if (fresh === current) continue
  if (isCheck) {
    console.error(`${name} is stale: run npm run generate`)
    process.exitCode = 1
  } else {
    await writeFile(file, fresh)
    console.log(`wrote ${name}`)
  }
}
