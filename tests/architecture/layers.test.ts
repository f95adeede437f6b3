import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
const DASHBOARD = fileURLToPath(new URL('../../dashboard/src', import.meta.url))
const SIMULATE = fileURLToPath(new URL('../../simulate', import.meta.url))
const SIMULATE_MODEL = fileURLToPath(new URL('../../simulate/model', import.meta.url))

/** What each layer may import from; a layer is a folder of src/, or a file at its root. */
const MAY_IMPORT: Record<string, string[]> = {
  domain: [],
  'operator-error': [],
  'owned-promise': [],
  'installed-files': [],
  errors: ['domain'],
  metrics: [],
  tracing: ['owned-promise'],
  storage: ['domain', 'errors', 'metrics', 'operator-error', 'owned-promise', 'installed-files'],
  app: ['domain', 'storage', 'errors', 'metrics', 'operator-error', 'owned-promise', 'tracing'],
  config: ['app', 'operator-error'],
  http: ['domain', 'app', 'errors', 'installed-files', 'metrics', 'owned-promise', 'tracing'],
  scheduler: ['domain', 'app', 'owned-promise'],
  service: [
    'app',
    'storage',
    'http',
    'scheduler',
    'config',
    'errors',
    'metrics',
    'operator-error',
    'owned-promise',
    'tracing',
  ],
  cli: ['domain', 'app', 'service', 'config', 'errors', 'operator-error', 'owned-promise'],
  main: ['cli'],
}

const IMPORT = /^(?:import|export)\b[^'"]*?from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\('([^']+)'\)/gm

interface Import {
  file: string
  from: string
  what: string
  /** Loaded with the file: neither later nor a type alone. */
  isAtOnce: boolean
}

async function readImports(root: string, prefix: string): Promise<Import[]> {
  const imports: Import[] = []
  for await (const name of glob('**/*.{ts,tsx}', { cwd: root })) {
    const text = await readFile(join(root, name), 'utf8')
    for (const [whole, a, b, c] of text.matchAll(IMPORT)) {
      const isAtOnce = c === undefined && !/^\w+\s+type\b/.test(whole)
      imports.push({ file: `${prefix}${name}`, from: layerOf(name), what: (a ?? b ?? c) as string, isAtOnce })
    }
  }
  return imports
}

const layerOf = (path: string) => (path.split('/')[0] as string).replace(/\.ts$/, '')
const imports = await readImports(SRC, 'src/')

test('imports go one way: domain <- storage <- app <- http, scheduler <- service <- cli <- main', () => {
  for (const { file, from, what } of imports.filter(({ what }) => what.startsWith('.'))) {
    const target = relative(SRC, join(SRC, dirname(file.slice(4)), what))
    if (target.startsWith('..')) continue // package.json
    const to = layerOf(target)
    assert.ok(
      to === from || MAY_IMPORT[from]?.includes(to),
      `${file} imports ${what}: ${from} may import ${MAY_IMPORT[from]?.join(', ') || 'nothing'}. What both need belongs in a layer below.`,
    )
  }
})

test('the domain imports nothing from npm or Node: no I/O, no clock', async () => {
  const foreign = imports.filter(({ from, what }) => from === 'domain' && !what.startsWith('.'))
  assert.deepEqual(foreign, [])
  for await (const name of glob('domain/**/*.ts', { cwd: SRC })) {
    const text = await readFile(join(SRC, name), 'utf8')
    assert.doesNotMatch(text, /new Date\(\)|Date\.now|Math\.random|process\.|console\./, `src/${name}`)
  }
})

test('only storage talks to PostgreSQL, and only config.ts reads the environment', async () => {
  assert.deepEqual(
    imports.filter(({ from, what }) => what === 'pg' && from !== 'storage'),
    [],
  )
  for await (const name of glob('**/*.ts', { cwd: SRC })) {
    if (name === 'config.ts' || name.startsWith('storage/embedded/')) continue
    assert.doesNotMatch(await readFile(join(SRC, name), 'utf8'), /process\.env/, `src/${name}`)
  }
})

test('Node’s own modules are imported by their node: name', () => {
  const bare = imports.filter(({ what }) => builtinModules.includes(what))
  assert.deepEqual(bare, [])
})

test('the dashboard imports of the service only its pure domain', async () => {
  for (const { file, what } of await readImports(DASHBOARD, '')) {
    if (!what.startsWith('.')) continue
    const target = relative(DASHBOARD, join(DASHBOARD, dirname(file), what))
    assert.ok(
      !target.startsWith('..') || target.startsWith('../../src/domain/'),
      `dashboard/src/${file} imports ${what}: it speaks to the service over HTTP, and shares src/domain/ alone`,
    )
  }
})

test('the model of the simulator shares nothing with the service: it imports only itself', async () => {
  for (const { file, what } of await readImports(SIMULATE_MODEL, 'simulate/model/')) {
    assert.match(what, /^\.\/[a-z-]+\.ts$/, `${file} imports ${what}`)
  }
})

for (const [prefix, root] of [
  ['src', SRC],
  ['dashboard/src', DASHBOARD],
  ['simulate', SIMULATE],
] as const) {
  test(`files of ${prefix} are named for what they hold, in kebab-case, and stay readable`, async () => {
    for await (const name of glob('**/*.{ts,tsx}', { cwd: root })) {
      assert.match(name, /^([a-z0-9-]+\/)*[a-z0-9-]+\.tsx?$/, `${prefix}/${name}`)
      assert.doesNotMatch(
        name,
        /(^|\/)(utils?|helpers?|common|misc|types|manager)\.tsx?$/,
        `${prefix}/${name}`,
      )
      const lines = (await readFile(join(root, name), 'utf8')).split('\n').length
      assert.ok(lines <= 350, `${prefix}/${name} has ${lines} lines: split it`)
    }
  })
}

test('a migration is named NNNN-what-it-does.sql, without gaps', async () => {
  const names: string[] = []
  for await (const name of glob('storage/migrations/*', { cwd: SRC }))
    names.push(name.split('/').at(-1) as string)
  for (const [i, name] of names.sort().entries()) {
    assert.match(name, new RegExp(`^${String(i + 1).padStart(4, '0')}-[a-z0-9-]+\\.sql$`))
  }
})

/** Megabytes each, which most servers can do without. */
const LOADED_WHEN_USED = /^(better-auth|@opentelemetry\/.*|@scalar\/.*)$/

test('what few servers use is loaded by those that use it, once they do', async () => {
  const byFile = Map.groupBy(imports, ({ file }) => file)
  const files = new Set(['src/service/server-process.ts'])
  const packages = new Set<string>()
  for (const file of files)
    for (const { what, isAtOnce } of byFile.get(file) ?? [])
      if (isAtOnce && what.startsWith('.')) files.add(join(dirname(file), what))
      else if (isAtOnce) packages.add(what)
  assert.ok(packages.has('fastify') && packages.has('pg') && files.size > 200, `${files.size} files`)
  assert.deepEqual(
    [...packages].filter((name) => LOADED_WHEN_USED.test(name)),
    [],
  )
})
