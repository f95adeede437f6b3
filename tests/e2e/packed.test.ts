import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isOnCitus } from '../support/database-nodes.ts'
import { extractPackage, installPackage, serveInstalled } from '../support/packed-service.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const MOST_BYTES = 120_000_000
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(ROOT, 'src')

test('the npm package, installed in an empty folder', async (t) => {
  const installed = await installPackage()
  const service = await serveInstalled(t, installed.folder)
  const answerOf = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(service.url + path, init)
    return { status: answer.status, text: await answer.text() }
  }

  await t.test('holds all that is built and served, and neither sources nor tests', async () => {
    const migrations = (await readdir(SOURCE, { recursive: true })).filter((name) => name.endsWith('.sql'))
    const missing = [
      'dist/main.js',
      ...migrations.map((name) => `dist/${name}`),
      'dashboard/dist/index.html',
      'docs/spec.md',
      'openapi.json',
      'LICENSE',
    ].filter((path) => !installed.files.includes(path))
    assert.deepEqual(missing, [])
    const own = installed.files.filter((path) => !path.startsWith('node_modules/'))
    const unwanted = own.filter((path) => /^(?:src|tests|bench|simulate|scripts)\/|\.tsx?$/.test(path))
    assert.deepEqual(unwanted, [])
    // V8 keeps the text of all that it runs: see scripts/build.ts.
    const built = own.filter((path) => /^dist\/[^/]+\.js$/.test(path))
    const texts = await Promise.all(built.map((path) => readFile(join(ROOT, path), 'utf8')))
    assert.deepEqual(
      built.filter((_, i) => /[^\0-\x7f]/.test(texts[i] as string)),
      [],
    )
    // To import a module of Node's loads all that it exports; the bundle's own beginning does, one that is small.
    const imported = texts.flatMap((text) =>
      [...text.matchAll(/ from "([\w:/]+)"/g)].map(([, id]) => id as string),
    )
    assert.deepEqual(imported.filter(isBuiltin), ['node:module'])
    // What it runs with is inside, and nothing of what it was made with.
    const bundled = new Set(
      installed.files.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]),
    )
    assert.ok(bundled.has('fastify') && bundled.has('pg'))
    for (const name of ['typescript', 'vite', 'react', 'playwright-core', 'node'])
      assert.ok(!bundled.has(name))
  })

  await t.test('takes less than 120 MB beside PostgreSQL', () => {
    assert.ok(installed.bytesBesidePostgres < MOST_BYTES, `it is ${installed.bytesBesidePostgres} bytes`)
  })

  await t.test(
    'serves: a claim is made, and the dashboard, the reference and the specification answer',
    async () => {
      const post = async (path: string, body: object) => {
        const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' }
        const { status, text } = await answerOf(path, { method: 'POST', headers, body: JSON.stringify(body) })
        assert.equal(status, 201, text)
        return JSON.parse(text)
      }
      const customer = await post('/v1/customers', { external_id: 'acme' })
      const claim = await post('/v1/claims', {
        customer_id: customer.id,
        contract: {
          price: 5,
          activity_window: 60,
          review_window: 0,
          timeout_outcome: 'fail',
          fulfillment_condition: { event: 'delivered' },
        },
      })
      assert.equal(claim.status, 'OPEN')
      for (const [path, expected] of [
        ['/', /<script[^>]+src="\/assets\//],
        ['/docs/', /Claimkeeper API/],
        ['/docs/js/scalar.js', /./],
        ['/docs/specification', /scheduled check/i],
        ['/docs/errors', /CLAIM_NOT_OPEN/],
        ['/openapi.json', /"openapi":"3\.1/],
      ] as const) {
        const { status, text } = await answerOf(path)
        assert.equal(status, 200, path)
        assert.match(text, expected, path)
      }
    },
  )

  await t.test(
    'needs nothing beside it, traces and backups included, on a PostgreSQL of its own',
    async (t) => {
      const main = await extractPackage(t, installed.packed)
      const settings = {
        DATABASE_URL: await createTestDatabase(t),
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/v1/traces',
      }
      const server = await startServeProcess(t, settings, main)
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
      const backup = await runCli(['backup', join(installed.folder, 'one.backup')], settings, main)
      assert.equal(backup.status, isOnCitus() ? 1 : 0, backup.stderr)
      if (isOnCitus()) assert.match(backup.stderr, /distributed by Citus/)
    },
  )
})
