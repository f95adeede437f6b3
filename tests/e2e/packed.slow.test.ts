import assert from 'node:assert/strict'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isOnCitus } from '../support/database-nodes.ts'
import { extractPackage, makePackage } from '../support/packed-service.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(ROOT, 'src')

const MAX_BYTES = 6_000_000
const MAX_FILES = 500

/** Of a bill of materials in CycloneDX JSON. */
interface Component {
  name: string
  version: string
  purl: string
  licenses?: { expression: string }[]
}

/* The nightly suite installs the package, too. */

test('the npm package', async (t) => {
  const created = await makePackage()
  t.after(() => rm(created.folder, { recursive: true, force: true }))

  await t.test('holds all that is built and served, and neither sources nor tests', async () => {
    const migrations = (await readdir(SOURCE, { recursive: true })).filter((name) => name.endsWith('.sql'))
    const missing = [
      'dist/main.js',
      ...migrations.map((name) => `dist/${name}`),
      'dashboard/dist/index.html',
      'docs/spec.md',
      'openapi.json',
      'LICENSE',
    ].filter((path) => !created.files.includes(path))
    assert.deepEqual(missing, [])
    const unwanted = created.files.filter((path) =>
      /^(?:src|tests|bench|simulate|scripts|node_modules)\/|\.tsx?$/.test(path),
    )
    assert.deepEqual(unwanted, [])
  })

  await t.test('is a file of less than 6 MB that holds less than 500 files', () => {
    assert.ok(created.bytes < MAX_BYTES, `it is ${created.bytes} bytes`)
    assert.ok(created.files.length < MAX_FILES, `it holds ${created.files.length} files`)
  })

  await t.test('names each package whose code it holds, with its licence', async () => {
    const dist = join(ROOT, 'dist')
    const licenses = await readFile(join(dist, 'licenses.txt'), 'utf8')
    const bill = JSON.parse(await readFile(join(dist, 'sbom.cdx.json'), 'utf8'))
    assert.deepEqual([bill.bomFormat, bill.specVersion], ['CycloneDX', '1.6'])
    const components = new Map<string, Component>(bill.components.map((one: Component) => [one.name, one]))
    for (const name of ['fastify', 'pg', 'better-auth', 'react', 'tailwindcss', '@scalar/api-reference']) {
      const { version, purl } = components.get(name) as Component
      assert.equal(purl, `pkg:npm/${name.replace('@', '%40')}@${version}`)
      assert.match(licenses, new RegExp(`^${name} ${version.replaceAll('.', '\\.')} \\(\\S+\\)\n\n\\S`, 'm'))
    }
    for (const name of ['typescript', 'rolldown', 'vite', 'playwright-core', 'node'])
      assert.ok(!components.has(name), name)
    assert.deepEqual(
      bill.components.filter((one: Component) => !one.licenses?.[0]?.expression),
      [],
    )
  })

  await t.test(
    'needs nothing beside it, traces and backups included, on a PostgreSQL of its own',
    async (t) => {
      const main = await extractPackage(t, created.packed)
      const settings = {
        DATABASE_URL: await createTestDatabase(t),
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1024/v1/traces',
      }
      const server = await startServeProcess(t, settings, main)
      for (const [path, expected] of [
        ['/readyz', /./],
        ['/', /<script[^>]+src="\/assets\//],
        ['/docs/', /Claimkeeper API/],
        ['/docs/js/scalar.js', /createApiReference/],
        ['/docs/specification', /scheduled check/i],
      ] as const) {
        const answer = await fetch(server.url + path)
        assert.equal(answer.status, 200, path)
        assert.match(await answer.text(), expected, path)
      }
      const backup = await runCli(['backup', join(created.folder, 'one.backup')], settings, main)
      assert.equal(backup.status, isOnCitus() ? 1 : 0, backup.stderr)
      if (isOnCitus()) assert.match(backup.stderr, /distributed by Citus/)
    },
  )
})
