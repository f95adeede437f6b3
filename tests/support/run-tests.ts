import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/*
 * Runs test files with `node --test`, several files per process.
 *
 * Why: loading the service costs a process more than most test files do, and files that share a process can share a
 * browser and a service (`shared.ts`).
 * Each file is a suite in its process and runs after the one before it, so a file cannot see another file's hooks.
 */

/** A test file is of the fast suite unless its name says otherwise: `name.slow.test.ts`, `name.nightly.test.ts`. */
export type Suite = 'fast' | 'slow' | 'nightly'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const REPORTER = fileURLToPath(new URL('./reporter.ts', import.meta.url))
const SCOPE = new URL('./process-scope.ts', import.meta.url).href
/** More files per process would let one process run long after the others have ended. */
const MAX_FILES_PER_PROCESS = 8
/** Files of these folders replace timers or measure the machine, so each has a process of its own. */
const PROCESS_PER_FILE = /^tests\/(abuse|deterministic|simulate)\//
/** Slow and nightly files of these folders take long, so each has a process of its own. */
const PROCESS_PER_SLOW_FILE = /^tests\/(e2e|faults)\//
/** A file with such a call measures or changes its whole process, so it runs in its own process. */
const LOOKS_AT_PROCESS =
  /\b(collectGarbage|TickCounter|VirtualTime|queryObjects|process\.(on|cpuUsage))\(|\bmock\.timers\b/
/** Above the two processors of CI, because tests also wait for processes, connections and timers. */
const CONCURRENCY = 4
/** Limit of one test. The reporter limits the time without a report. */
const TIMEOUT_MS = 900_000
/** How long a process may take to end after its last test. */
const EXIT_TIMEOUT_MS = 60_000

/**
 * The files of the suites that match the patterns. A file that is named in full may be of any suite.
 * @throws if a pattern matches no file
 */
export function findTests(patterns: readonly string[], ...suites: Suite[]): string[] {
  const files = patterns.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: ROOT })
    const matching = found.includes(pattern) ? found : found.filter((file) => suites.includes(suiteOf(file)))
    if (matching.length === 0) throw new Error(`No ${suites.join(' or ')} test file matches ${pattern}.`)
    return matching
  })
  return [...new Set(files)].sort()
}

function suiteOf(file: string): Suite {
  return (/\.(slow|nightly)\.test\.ts$/.exec(file)?.[1] as Suite | undefined) ?? 'fast'
}

interface RunOptions {
  env?: NodeJS.ProcessEnv
  /** Only tests whose name matches this pattern. */
  name?: string | undefined
}

/** Runs the files and returns the exit status. Call it inside `inRunFolder`. */
export async function runTests(
  files: readonly string[],
  { env = process.env, name }: RunOptions = {},
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'suites-'))
  for (const [i, group] of groupsOf(files).entries())
    await writeFile(join(folder, `${String(i).padStart(3, '0')}.mjs`), moduleOf(group))
  const options = [
    `--test-concurrency=${CONCURRENCY}`,
    `--test-timeout=${TIMEOUT_MS}`,
    '--test-global-setup=tests/support/global-setup.ts',
    `--test-reporter=${REPORTER}`,
    '--test-reporter-destination=stdout',
    ...(name === undefined ? [] : [`--test-name-pattern=${name}`]),
  ]
  const child = spawn(process.execPath, ['--test', ...options, join(folder, '*.mjs')], {
    stdio: 'inherit',
    cwd: ROOT,
    env: { ...env, CLAIMKEEPER_TEST_FILES: files.join('\n') },
  })
  // `node --test` exits with 0 if a signal ends it before its first test.
  let isInterrupted = false
  // A terminal sends SIGINT to the child as well.
  process.on('SIGINT', () => {
    isInterrupted = true
  })
  process.on('SIGTERM', () => {
    isInterrupted = true
    child.kill('SIGTERM')
  })
  const [status] = await once(child, 'exit')
  return isInterrupted ? status || 1 : (status ?? 1)
}

/**
 * Groups the files by suite, at most `MAX_FILES_PER_PROCESS` per group. Neighbours are in one group, because they may share a
 * module with a service. The dashboard's files have groups of their own, because they share a browser.
 */
function groupsOf(files: readonly string[]): string[][] {
  const isAlone = (file: string) =>
    (suiteOf(file) !== 'fast' && PROCESS_PER_SLOW_FILE.test(file)) ||
    PROCESS_PER_FILE.test(file) ||
    LOOKS_AT_PROCESS.test(readFileSync(join(ROOT, file), 'utf8'))
  const kindOf = (file: string) => `${suiteOf(file)} ${file.startsWith('tests/dashboard/')}`
  const kinds = Map.groupBy(files, (file) => (isAlone(file) ? file : kindOf(file)))
  return [...kinds.values()].flatMap((together) => {
    const size = Math.ceil(together.length / Math.ceil(together.length / MAX_FILES_PER_PROCESS))
    return Array.from({ length: Math.ceil(together.length / size) }, (_, i) =>
      together.slice(i * size, (i + 1) * size),
    )
  })
}

/** A module that runs each file as a suite, then releases the shared resources. */
const moduleOf = (files: readonly string[]): string =>
  [
    "import { suite } from 'node:test'",
    // Kept here because a test may replace the global setTimeout.
    'const { setTimeout } = globalThis',
    ...files.map((file) => {
      const url = pathToFileURL(join(ROOT, file)).href
      return `await suite(${JSON.stringify(file)}, async () => void (await import(${JSON.stringify(url)})))`
    }),
    // A handle that a failed test left open must not keep the process alive.
    `setTimeout(() => {
      console.error('Still open after the last test:', process.getActiveResourcesInfo())
      process.exit(1)
    }, ${EXIT_TIMEOUT_MS}).unref()`,
    `const { releaseProcessScope } = await import(${JSON.stringify(SCOPE)})`,
    'await releaseProcessScope()',
  ].join('\n')
