/*
 * npm run test:databases -- [FILES]: requests for each kind of record on databases in which I and i are no case of each other, one
 * of the embedded PostgreSQL and one of PostgreSQL 15, as a role for which all settings of a session have other defaults.
 * Without PostgreSQL 15 it says so. `npm run test:oldest` is in the locale C.
 */
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { styleText } from 'node:util'
import { createForeignRole, FOREIGN_ROLE } from '../tests/support/foreign-role.ts'
import { findInstalled, findPrograms } from '../tests/support/make-node.ts'
import { PostgresNode } from '../tests/support/postgres-node.ts'
import { inRunFolder } from '../tests/support/run-folder.ts'
import { findTests, runTests } from '../tests/support/run-tests.ts'
import { findBinaries } from '../tests/support/source/embedded.ts'

const OLDEST = 15
const FILES = [
  'tests/app/run-scheduled-check.test.ts',
  'tests/http/claims/{claims,test-clocks}.test.ts',
  'tests/http/events/events-{lifecycle,submission}.test.ts',
  'tests/http/lists/{customer-search,list-search,lists}.test.ts',
]
const SETTINGS = 'max_connections = 400\nfsync = off\n'

/** In the run's folder, which is removed at its end. */
async function run(bin: string, language: 'tr' | 'az'): Promise<number> {
  const programs = await findPrograms(bin)
  const folder = await mkdtemp(join(tmpdir(), 'database-'))
  await chmod(folder, 0o755)
  const locale = ['--locale=C', '--locale-provider=icu', `--icu-locale=${language}`]
  const node = await PostgresNode.create(programs, join(folder, 'data'), SETTINGS, locale)
  try {
    const count = await createForeignRole(node)
    console.log(`--- ${programs.binaries.version}, locale ${language}, ${count} settings with other defaults`)
    const env = {
      ...process.env,
      TEST_CITUS_URL: undefined,
      TEST_DATABASE_URL: node.url,
      TEST_SERVICE_ROLE: FOREIGN_ROLE,
      CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: 'true',
    }
    return await runTests(findTests(patterns, 'fast', 'slow'), { env })
  } finally {
    await node.end('SIGINT')
  }
}

const patterns = process.argv.length > 2 ? process.argv.slice(2) : FILES
const embedded = dirname((await findBinaries()).postgres)
const oldest = findInstalled((folder) => /\d+$/.exec(folder)?.[0] === `${OLDEST}`)
process.exitCode = await inRunFolder(async () => {
  const ofEmbedded = await run(embedded, 'tr')
  return (oldest === null ? 0 : await run(oldest, 'az')) || ofEmbedded
})
if (oldest === null)
  console.log(styleText('yellow', `PostgreSQL ${OLDEST} was skipped: it is not on this machine.`))
