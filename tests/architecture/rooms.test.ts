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

/**
 * The rooms of src/ in their order: a room may import from those before it, never from those after it. A room is a folder of
 * src/, or one of platform/. ARCHITECTURE.md draws this list.
 */
const ROOMS = [
  'kernel',
  'core',
  'platform/concurrency',
  'platform/observability',
  'platform/jobs',
  'platform/database',
  'platform/http',
  'platform/terminal',
  'idempotency',
  'accounts',
  'contracts',
  'customers',
  'calendars',
  'claim-schemas',
  'outbox',
  'test-clocks',
  'claims',
  'overview',
  'checks',
  'events',
  'simulation',
  'backtest',
  'notifications',
  'webhooks',
  'retention',
  'archive',
  'backup',
  'doctor',
  'config',
  'service',
  'cli',
]
/**
 * Files beside the rooms. `app.ts` is the type of what a use case works on: it imports only types, of any room, and any room
 * may import it.
 */
const BESIDE = ['app', 'installed-files', 'main']

const IMPORT = /^(?:import|export)\b[^'"]*?from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\('([^']+)'\)/gm

interface Import {
  file: string
  from: string
  what: string
  isType: boolean
  /** Loaded with the file: neither later nor a type alone. */
  isAtOnce: boolean
}

async function readImports(root: string, prefix: string): Promise<Import[]> {
  const imports: Import[] = []
  for await (const name of glob('**/*.{ts,tsx}', { cwd: root })) {
    const text = await readFile(join(root, name), 'utf8')
    for (const [whole, a, b, c] of text.matchAll(IMPORT)) {
      const isType = /^\w+\s+type\b/.test(whole)
      const isAtOnce = c === undefined && !isType
      const what = (a ?? b ?? c) as string
      imports.push({ file: `${prefix}${name}`, from: roomOf(name), what, isType, isAtOnce })
    }
  }
  return imports
}

/** The room of a path in src/. */
function roomOf(path: string): string {
  const [first, second] = path.split('/') as [string, string?]
  if (second === undefined) return first.replace(/\.ts$/, '')
  return first === 'platform' ? `platform/${second}` : first
}
const imports = await readImports(SRC, 'src/')

test('each room of src/ has its place in the order, and each place has a room', async () => {
  const found = new Set<string>()
  for await (const name of glob('**/*.ts', { cwd: SRC })) found.add(roomOf(name))
  assert.deepEqual([...found].toSorted(), [...ROOMS, ...BESIDE].toSorted())
})

test('ARCHITECTURE.md draws the rooms in this order, from the last to the first', async () => {
  const text = await readFile(join(SRC, '../ARCHITECTURE.md'), 'utf8')
  const drawing = /```\n([^`]+)```/.exec(text)?.[1] ?? ''
  const names = ROOMS.map((room) => room.replace('platform/', ''))
  const drawn = drawing.split(/[ \n]+/).filter((word) => names.includes(word))
  assert.deepEqual(drawn.toReversed(), names)
})

test('imports run one way: from a room to those before it', () => {
  for (const { file, from, what, isType } of imports.filter(({ what }) => what.startsWith('.'))) {
    const target = relative(SRC, join(SRC, dirname(file.slice(4)), what))
    if (target.startsWith('..')) continue // package.json
    const to = roomOf(target)
    if (from === 'app') assert.ok(isType, `${file} imports ${what}: it may import only types`)
    if (BESIDE.includes(from) || BESIDE.includes(to)) continue
    assert.ok(
      ROOMS.indexOf(to) <= ROOMS.indexOf(from),
      `${file} imports ${what}: ${to} comes after ${from}. Move what both need to a room before them, or pass it in.`,
    )
  }
})

test('kernel and core import nothing from npm or Node: no I/O, no clock', async () => {
  const pure = ['kernel', 'core']
  assert.deepEqual(
    imports.filter(({ from, what }) => pure.includes(from) && !what.startsWith('.')),
    [],
  )
  for await (const name of glob('core/**/*.ts', { cwd: SRC })) {
    const text = await readFile(join(SRC, name), 'utf8')
    assert.doesNotMatch(text, /new Date\(\)|Date\.now|Math\.random|process\.|console\./, `src/${name}`)
  }
})

const isOfDatabase = (file: string) => /^src\/platform\/database\/|-store\.ts$/.test(file)

test('statements of SQL are only in *-store.ts and platform/database, and so is pg', async () => {
  for (const { file, what } of imports) if (what === 'pg') assert.ok(isOfDatabase(file), file)
  for await (const name of glob('**/*.ts', { cwd: SRC })) {
    if (isOfDatabase(`src/${name}`)) continue
    const text = await readFile(join(SRC, name), 'utf8')
    assert.doesNotMatch(
      text,
      /`-- \w+$|^ *(SELECT |INSERT INTO |UPDATE \w+ SET |DELETE FROM )/m,
      `src/${name}`,
    )
  }
})

test('only config/ and the embedded PostgreSQL read the environment', async () => {
  for await (const name of glob('**/*.ts', { cwd: SRC })) {
    if (/^(config|platform\/database\/embedded)\//.test(name)) continue
    assert.doesNotMatch(await readFile(join(SRC, name), 'utf8'), /process\.env/, `src/${name}`)
  }
})

test('Node’s own modules are imported by their node: name', () => {
  const bare = imports.filter(({ what }) => builtinModules.includes(what))
  assert.deepEqual(bare, [])
})

test('the dashboard imports of the service only kernel and core', async () => {
  for (const { file, what } of await readImports(DASHBOARD, '')) {
    if (!what.startsWith('.')) continue
    const target = relative(DASHBOARD, join(DASHBOARD, dirname(file), what))
    assert.ok(
      !target.startsWith('..') || /^\.\.\/\.\.\/src\/(kernel|core)\//.test(target),
      `dashboard/src/${file} imports ${what}: it speaks to the service over HTTP, and shares src/kernel and src/core alone`,
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
  test(`files of ${prefix} are named for what they hold, in kebab-case`, async () => {
    for await (const name of glob('**/*.{ts,tsx}', { cwd: root })) {
      assert.match(name, /^([a-z0-9-]+\/)*[a-z0-9-]+\.tsx?$/, `${prefix}/${name}`)
      assert.doesNotMatch(
        name,
        /(^|\/)(utils?|helpers?|common|misc|types|manager)\.tsx?$/,
        `${prefix}/${name}`,
      )
    }
  })
}

test('a migration is named NNNN-what-it-does.sql, without gaps', async () => {
  const names: string[] = []
  for await (const name of glob('platform/database/migrations/*', { cwd: SRC }))
    names.push(name.split('/').at(-1) as string)
  for (const [i, name] of names.sort().entries()) {
    assert.match(name, new RegExp(`^${String(i + 1).padStart(4, '0')}-[a-z0-9-]+\\.sql$`))
  }
})

/** Megabytes each, which most servers can do without. */
const LOADED_WHEN_USED = /^(better-auth|@opentelemetry\/.*|@scalar\/.*)$/

/** All that is loaded with this file, and packages by their names. */
function loadedWith(file: string): { files: Set<string>; packages: Set<string> } {
  const byFile = Map.groupBy(imports, ({ file }) => file)
  const files = new Set([file])
  const packages = new Set<string>()
  for (const file of files)
    for (const { what, isAtOnce } of byFile.get(file) ?? [])
      if (isAtOnce && what.startsWith('.')) files.add(join(dirname(file), what))
      else if (isAtOnce) packages.add(what)
  return { files, packages }
}

test('what few servers use is loaded by those that use it, once they do', () => {
  const { files, packages } = loadedWith('src/service/server-process.ts')
  assert.ok(packages.has('fastify') && packages.has('pg') && files.size > 200, `${files.size} files`)
  assert.deepEqual(
    [...packages].filter((name) => LOADED_WHEN_USED.test(name)),
    [],
  )
})

test('the command line loads the service only for commands that run it', () => {
  const { files, packages } = loadedWith('src/main.ts')
  assert.ok(files.has('src/cli/commands/serve.ts'))
  assert.ok(!packages.has('fastify'), `${files.size} files`)
})
