import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Few enough that no processor waits long for the last process. */
const FILES_TOGETHER = 8
/** Whose files have a process each: they attack, take time into their own hands, or simulate. */
const ALONE = /^tests\/(abuse|deterministic|simulate)\//
/** More than processors: tests wait for processes, connections and times. */
const CONCURRENCY = 4
/** What looks at the process as a whole has one to itself. */
const LOOKS_AT_PROCESS = /\b(collectGarbage|TurnCounter|process\.on)\(/
/** Until a process ends whose tests are done. */
const PATIENCE_MS = 30_000

/**
 * Runs the test files that fit the patterns. A process loads the service before its first test, which takes longer than the tests of most
 * files: so files of a folder share one, each as a suite. To be run in a folder of the run (inRunFolder). Returns the status to exit with.
 */
export async function runTests(patterns: readonly string[], env = process.env): Promise<number> {
  const files = globSync(patterns, { cwd: ROOT }).sort()
  if (files.length === 0) throw new Error(`no test file is ${patterns.join(' or ')}`)
  const folder = await mkdtemp(join(tmpdir(), 'suites-'))
  for (const [i, group] of groupsOf(files).entries())
    await writeFile(join(folder, `${String(i).padStart(3, '0')}.mjs`), suitesOf(group))
  const setup = '--test-global-setup=tests/support/global-setup.ts'
  const args = ['--test', `--test-concurrency=${CONCURRENCY}`, setup, join(folder, '*.mjs')]
  const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: ROOT, env })
  // Before its first test the child ends well by a signal.
  let isBrokenOff = false
  // A terminal's reaches the child too, which ends by it.
  process.on('SIGINT', () => {
    isBrokenOff = true
  })
  process.on('SIGTERM', () => {
    isBrokenOff = true
    child.kill('SIGTERM')
  })
  const [status] = await once(child, 'exit')
  return isBrokenOff ? status || 1 : (status ?? 1)
}

/** Which files share a process. */
function groupsOf(files: readonly string[]): string[][] {
  const isAlone = (file: string) =>
    ALONE.test(file) || LOOKS_AT_PROCESS.test(readFileSync(join(ROOT, file), 'utf8'))
  const folders = Map.groupBy(files, (file) => (isAlone(file) ? file : dirname(file)))
  return [...folders.values()].flatMap((together) => {
    const count = Math.ceil(together.length / FILES_TOGETHER)
    return Array.from({ length: count }, (_, group) => together.filter((_, i) => i % count === group))
  })
}

/** A module with each file as a suite, one after the other. What a test leaves open when it fails must not keep the process for ever. */
const suitesOf = (files: readonly string[]): string =>
  [
    "import { suite } from 'node:test'",
    // Before a test takes time into its own hands.
    'const { setTimeout } = globalThis',
    ...files.map((file) => {
      const url = pathToFileURL(join(ROOT, file)).href
      return `await suite(${JSON.stringify(file)}, async () => void (await import(${JSON.stringify(url)})))`
    }),
    `setTimeout(() => {
      console.error('Still open after the last test:', process.getActiveResourcesInfo())
      process.exit(1)
    }, ${PATIENCE_MS}).unref()`,
  ].join('\n')
