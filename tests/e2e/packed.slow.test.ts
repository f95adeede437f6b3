import assert from 'node:assert/strict'
import { readdir, readFile, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isOnCitus } from '../support/database-nodes.ts'
import { extractPackage, makePackage } from '../support/packed-service.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(ROOT, 'src')

/* The nightly suite installs the package, too. */

test('the npm package', async (t) => {
  const made = await makePackage()
  t.after(() => rm(made.folder, { recursive: true, force: true }))

  await t.test('holds all that is built and served, and neither sources nor tests', async () => {
    const migrations = (await readdir(SOURCE, { recursive: true })).filter((name) => name.endsWith('.sql'))
    const missing = [
      'dist/main.js',
      ...migrations.map((name) => `dist/${name}`),
      'dashboard/dist/index.html',
      'docs/spec.md',
      'openapi.json',
      'LICENSE',
    ].filter((path) => !made.files.includes(path))
    assert.deepEqual(missing, [])
    const own = made.files.filter((path) => !path.startsWith('node_modules/'))
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
    const bundled = new Set(made.files.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]))
    assert.ok(bundled.has('fastify') && bundled.has('pg'))
    for (const name of ['typescript', 'vite', 'react', 'playwright-core', 'node'])
      assert.ok(!bundled.has(name))
  })

  await t.test(
    'needs nothing beside it, traces and backups included, on a PostgreSQL of its own',
    async (t) => {
      const main = await extractPackage(t, made.packed)
      const settings = {
        DATABASE_URL: await createTestDatabase(t),
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1024/v1/traces',
      }
      const server = await startServeProcess(t, settings, main)
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
      const backup = await runCli(['backup', join(made.folder, 'one.backup')], settings, main)
      assert.equal(backup.status, isOnCitus() ? 1 : 0, backup.stderr)
      if (isOnCitus()) assert.match(backup.stderr, /distributed by Citus/)
    },
  )
})
