import { glob, readFile, writeFile } from 'node:fs/promises'
import { pino } from 'pino'
import { SETTINGS } from '../src/config/config.ts'
import { ERRORS } from '../src/kernel/error-catalogue.ts'
import { Database } from '../src/platform/database/database.ts'
import { CATALOGUE } from '../src/platform/observability/metric-catalogue.ts'
import { createApp } from '../src/service/create-app.ts'
import { createServer } from '../src/service/http/server.ts'

/*
 * Writes the generated files that are committed: openapi.json, docs/errors.md, and tables of docs/setup.md, docs/metrics.md and
 * docs/spec.md. With --check it writes nothing and fails if a file is stale.
 */

const ROOT = new URL('../', import.meta.url)

const FILES: Record<string, (current: string) => Promise<string> | string> = {
  'openapi.json': openApiDocument,
  'docs/errors.md': errorsPage,
  'docs/setup.md': withSettings,
  'docs/metrics.md': withMetrics,
  'docs/spec.md': withLimits,
}

async function openApiDocument(): Promise<string> {
  // The pool connects at the first statement. None is sent.
  const db = new Database({ connectionString: 'postgres://127.0.0.1', poolSize: 2 })
  const server = await createServer(createApp(db), {
    log: pino({ level: 'silent' }),
    publicUrl: '',
    rates: null,
    openSignUp: false,
    trustedProxies: null,
    maxConnections: 1,
    allowPrivateWebhooks: false,
    maxSchemas: 1,
    maxCalendars: 1,
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

const PUBLIC_LIMIT = /\/\*\*(?:(?!\*\/)[\s\S])*@public\s((?:(?!\*\/)[\s\S])*)\*\/\s*export const (\w+)/g

/** The limits marked `@public` in each limits.ts of src/. */
async function withLimits(page: string): Promise<string> {
  const rows: string[][] = []
  const names: string[] = []
  for await (const name of glob('src/**/limits.ts', { cwd: ROOT })) names.push(name)
  for (const name of names.toSorted()) {
    const limits: Record<string, unknown> = await import(new URL(name, ROOT).href)
    for (const [, text = '', constant = ''] of (await readFile(new URL(name, ROOT), 'utf8')).matchAll(
      PUBLIC_LIMIT,
    ))
      rows.push([
        text.replaceAll(/\s+\*?\s*/g, ' ').trim(),
        valueWithUnit(constant, Number(limits[constant])),
      ])
  }
  return withTable(page, 'limits', ['What', 'Limit'], rows)
}

const SECONDS_PER_UNIT: [unit: string, seconds: number][] = [
  ['days', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]
const BYTES_PER_UNIT: [unit: string, bytes: number][] = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['bytes', 1],
]

/** In the unit of the constant's suffix, or a larger one if that gives a whole number. */
function valueWithUnit(constant: string, value: number): string {
  if (!Number.isFinite(value)) throw new Error(`${constant} is marked @public but is not a number`)
  const inUnit = (units: [string, number][], amount: number) => {
    const [unit, size] = units.find(([, size]) => amount >= size && amount % size === 0) ?? ['ms', 0.001]
    return `${(amount / size).toLocaleString('en')} ${unit}`
  }
  if (constant.endsWith('_MS')) return inUnit(SECONDS_PER_UNIT, value / 1000)
  if (constant.endsWith('_SECONDS')) return inUnit(SECONDS_PER_UNIT, value)
  if (constant.endsWith('_BYTES')) return inUnit(BYTES_PER_UNIT, value)
  if (constant.endsWith('_LENGTH')) return `${value.toLocaleString('en')} characters`
  return value.toLocaleString('en')
}

/** Replaces the table of the page between the markers of this name. */
function withTable(page: string, name: string, titles: string[], rows: string[][]): string {
  const [start, end] = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`]
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
