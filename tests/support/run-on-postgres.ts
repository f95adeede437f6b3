import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findInstalled, findPrograms } from './make-node.ts'
import { PostgresNode } from './postgres-node.ts'
import { findTests, runTests } from './run-tests.ts'
import { OLDEST_POSTGRES } from './source/database.ts'

/** The programs' folder of the oldest PostgreSQL that the service supports; null if it is not installed. */
export const findOldest = (): string | null =>
  findInstalled((folder) => /\d+$/.exec(folder)?.[0] === `${OLDEST_POSTGRES}`)

interface Run {
  /** The folder of PostgreSQL's programs. */
  bin: string
  /** Lines of postgresql.conf. */
  settings: string
  /** Arguments of initdb. */
  locale: readonly string[]
  /** Test files. */
  patterns: readonly string[]
  /** Prepares the server and returns further environment variables of the tests. */
  prepare?: (node: PostgresNode, version: string) => Promise<NodeJS.ProcessEnv>
}

/** Runs fast and slow tests on a PostgreSQL server of its own, in the run's folder, which is removed at the end. Returns the exit status. */
export async function runOnPostgres({ bin, settings, locale, patterns, prepare }: Run): Promise<number> {
  const programs = await findPrograms(bin)
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'))
  await chmod(folder, 0o755)
  const node = await PostgresNode.create(programs, join(folder, 'data'), settings, locale)
  try {
    const more = await prepare?.(node, programs.binaries.version)
    const env = { ...process.env, TEST_CITUS_URL: undefined, TEST_DATABASE_URL: node.url, ...more }
    return await runTests(findTests(patterns, 'fast', 'slow'), { env })
  } finally {
    await node.end('SIGINT')
  }
}
