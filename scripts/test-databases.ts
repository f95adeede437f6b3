/*
 * npm run test:databases -- [FILES]: requests for each kind of record on a Turkish database of the embedded PostgreSQL and an
 * Azeri database of PostgreSQL 15. In these languages I is not the upper case of i. The role has other defaults for all
 * settings of a session. Without PostgreSQL 15 the command prints that it skipped the second database.
 */
import { dirname } from 'node:path'
import { styleText } from 'node:util'
import { createForeignRole, FOREIGN_ROLE } from '../tests/support/foreign-role.ts'
import { inRunFolder } from '../tests/support/run-folder.ts'
import { findOldest, runOnPostgres } from '../tests/support/run-on-postgres.ts'
import { OLDEST_POSTGRES } from '../tests/support/source/database.ts'
import { findBinaries } from '../tests/support/source/embedded.ts'

const FILES = [
  'tests/checks/run-scheduled-check.test.ts',
  'tests/claims/claims.test.ts',
  'tests/customers/customer-search.test.ts',
  'tests/test-clocks/test-clocks.test.ts',
  'tests/events/events-lifecycle.test.ts',
  'tests/events/events-submission.test.ts',
  'tests/claims/lists/list-search.test.ts',
  'tests/claims/lists/lists.test.ts',
]
const SETTINGS = 'max_connections = 400\nfsync = off\n'

const runIn = (bin: string, language: 'tr' | 'az') =>
  runOnPostgres({
    bin,
    settings: SETTINGS,
    locale: ['--locale=C', '--locale-provider=icu', `--icu-locale=${language}`],
    patterns,
    prepare: async (node, version) => {
      const count = await createForeignRole(node)
      console.log(`--- ${version}, locale ${language}, ${count} settings with other defaults`)
      return { TEST_SERVICE_ROLE: FOREIGN_ROLE, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: 'true' }
    },
  })

const patterns = process.argv.length > 2 ? process.argv.slice(2) : FILES
const embedded = dirname((await findBinaries()).postgres)
const oldest = findOldest()
process.exitCode = await inRunFolder(async () => {
  const ofEmbedded = await runIn(embedded, 'tr')
  return (oldest === null ? 0 : await runIn(oldest, 'az')) || ofEmbedded
})
if (oldest === null)
  console.log(styleText('yellow', `PostgreSQL ${OLDEST_POSTGRES} was skipped: it is not on this machine.`))
