/*
 * npm run test:oldest -- [FILES]: the storage tests on a plain PostgreSQL 15, the oldest that the service runs on. Its planner
 * chooses other plans than the embedded PostgreSQL's, so the slow tests of plans are included. Without PostgreSQL 15 it
 * prints that it was skipped.
 */
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { findInstalled, findPrograms } from '../tests/support/make-node.ts'
import { PostgresNode } from '../tests/support/postgres-node.ts'
import { inRunFolder } from '../tests/support/run-folder.ts'
import { findTests, runTests } from '../tests/support/run-tests.ts'

const OLDEST = 15
/** Left out: tests of the embedded database and of durable settings, which start a PostgreSQL of their own. */
const FILES = [
  'tests/storage/!(embedded*|require-durable*|*.slow|*.nightly).test.ts',
  'tests/storage/*plans.slow.test.ts',
]
const SETTINGS = 'max_connections = 400\n'
/** It sorts by bytes and folds ASCII alone. */
const LOCALE = ['--locale=C']

/** In the run's folder, which is removed at its end. */
async function run(bin: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'oldest-'))
  await chmod(folder, 0o755)
  const node = await PostgresNode.create(await findPrograms(bin), join(folder, 'data'), SETTINGS, LOCALE)
  try {
    const env = { ...process.env, TEST_CITUS_URL: undefined, TEST_DATABASE_URL: node.url }
    return await runTests(findTests(patterns, 'fast', 'slow'), { env })
  } finally {
    await node.end('SIGINT')
  }
}

const patterns = process.argv.length > 2 ? process.argv.slice(2) : FILES
const bin = findInstalled((folder) => /\d+$/.exec(folder)?.[0] === `${OLDEST}`)
if (bin !== null) process.exitCode = await inRunFolder(() => run(bin))
else console.log(styleText('yellow', `Skipped: no PostgreSQL ${OLDEST} on this machine.`))
