import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SRC = fileURLToPath(new URL('../../dashboard/src', import.meta.url))

/**
 * The rooms of dashboard/src in their order: a room may import from the rooms before it. ARCHITECTURE.md describes them.
 * Pages are outside the order: a page composes components of any room, and only the router imports it.
 */
const ROOMS = [
  'format',
  'api',
  'components',
  'metadata',
  'calendars',
  'events',
  'contracts',
  'simulation',
  'customers',
  'claim-schemas',
  'test-clocks',
  'claims',
  'overview',
  'notifications',
  'webhooks',
  'accounts',
  'demo',
  'shell',
]
const ROOT_FILES = ['main.tsx', 'router.tsx']

const IMPORT = /^(?:import|export)\b[^'"]*?from\s*'([^']+)'|\bimport\('([^']+)'\)/gm

const isPage = (file: string) => file.endsWith('-page.tsx')
const roomOf = (file: string) => file.split('/')[0] as string

/** File and imported file, as paths in dashboard/src. */
const imports: [file: string, target: string][] = []
const files: string[] = []
for await (const file of glob('**/*.{ts,tsx}', { cwd: SRC })) {
  files.push(file)
  for (const [, from, lazy] of (await readFile(join(SRC, file), 'utf8')).matchAll(IMPORT)) {
    const target = relative(SRC, join(SRC, dirname(file), (from ?? lazy) as string))
    if ((from ?? lazy)?.startsWith('.') && !target.startsWith('..')) imports.push([file, target])
  }
}

test('each file of the dashboard is in a room', () => {
  const found = new Set(files.filter((file) => !ROOT_FILES.includes(file)).map(roomOf))
  assert.deepEqual([...found].toSorted(), ROOMS.toSorted())
})

test('rooms of the dashboard import only from rooms before them', () => {
  for (const [file, target] of imports) {
    if (ROOT_FILES.includes(file) || isPage(file)) continue
    assert.ok(!ROOT_FILES.includes(target), `${file} imports ${target}`)
    assert.ok(
      ROOMS.indexOf(roomOf(target)) <= ROOMS.indexOf(roomOf(file)),
      `${file} imports ${target}: ${roomOf(target)} comes after ${roomOf(file)}`,
    )
  }
})

test('only the router and other pages import a page', () => {
  for (const [file, target] of imports)
    if (isPage(target)) assert.ok(file === 'router.tsx' || isPage(file), `${file} imports ${target}`)
})
