/*
 * npm run test:oldest -- [FILES]: the storage tests on PostgreSQL 15, the oldest supported. Its planner chooses other plans than
 * the embedded PostgreSQL's, so the slow tests of plans are included. Without PostgreSQL 15 the command prints that it skipped
 * the tests.
 */
import { styleText } from 'node:util'
import { inRunFolder } from '../tests/support/run-folder.ts'
import { findOldest, runOnPostgres } from '../tests/support/run-on-postgres.ts'
import { OLDEST_POSTGRES } from '../tests/support/source/database.ts'

/** Without tests of the embedded database and of durable settings, which start their own PostgreSQL. */
const FILES = [
  'tests/database/!(embedded*|require-durable*|*.slow|*.nightly).test.ts',
  'tests/database/*plans.slow.test.ts',
]
const SETTINGS = 'max_connections = 400\n'
/** Sorts by bytes and folds only ASCII. */
const LOCALE = ['--locale=C']

const patterns = process.argv.length > 2 ? process.argv.slice(2) : FILES
const bin = findOldest()
if (bin === null)
  console.log(styleText('yellow', `Skipped: no PostgreSQL ${OLDEST_POSTGRES} on this machine.`))
else
  process.exitCode = await inRunFolder(() =>
    runOnPostgres({ bin, settings: SETTINGS, locale: LOCALE, patterns }),
  )
