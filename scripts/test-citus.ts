/*
 * npm run test:citus -- [FILES] [--suite slow]: tests on distributed tables. TEST_CITUS_URL names the coordinator of a cluster.
 * Without TEST_CITUS_URL, the command starts a cluster for the run. Without Citus, it prints that the tests were skipped.
 */
import { parseArgs, styleText } from 'node:util'
import { findCitus, startCitusCluster } from '../tests/support/citus-cluster.ts'
import { inRunFolder } from '../tests/support/run-folder.ts'
import { findTests, runTests, type Suite } from '../tests/support/run-tests.ts'

/** Tests of statements, plans and locks, which depend on distribution, and of requests for each kind of record. */
const FILES = [
  'tests/database/constraints.test.ts',
  'tests/database/distribution.test.ts',
  'tests/database/lock-order.test.ts',
  'tests/database/lost-machine.test.ts',
  'tests/database/migrate.test.ts',
  'tests/database/shard-statements.test.ts',
  'tests/database/take-positions.test.ts',
  'tests/database/worker-settings.test.ts',
  'tests/checks/shard-locks.test.ts',
  'tests/checks/run-scheduled-check.test.ts',
  'tests/doctor/try-decisions.test.ts',
  'tests/archive/archived-claims.test.ts',
  'tests/customers/customers.test.ts',
  'tests/test-clocks/test-clocks.test.ts',
  'tests/claims/candidates.test.ts',
  'tests/claims/claim-batches-schemas.test.ts',
  'tests/claims/claims.test.ts',
  'tests/events/event-results.test.ts',
  'tests/events/events-lifecycle.test.ts',
  'tests/events/events-replay.test.ts',
  'tests/events/events-submission.test.ts',
  'tests/claims/lists/list-filters.test.ts',
  'tests/claims/lists/lists.test.ts',
  'tests/notifications/notifications.test.ts',
  'tests/webhooks/webhook-deliveries.test.ts',
]

const { values, positionals } = parseArgs({
  options: { suite: { type: 'string', default: 'fast' } },
  allowPositionals: true,
})
const patterns = positionals.length > 0 ? positionals : FILES

const runOn = (url: string) =>
  runTests(findTests(patterns, values.suite as Suite), { env: { ...process.env, TEST_CITUS_URL: url } })

async function runOnOwnCluster(bin: string): Promise<number> {
  const cluster = await startCitusCluster(bin)
  try {
    return await runOn(await cluster.createDatabase('claimkeeper_tests'))
  } finally {
    await cluster.stop()
  }
}

const coordinatorUrl = process.env.TEST_CITUS_URL
const bin = coordinatorUrl ? null : findCitus()
if (coordinatorUrl) process.exitCode = await inRunFolder(() => runOn(coordinatorUrl))
else if (bin === null) {
  console.log(
    styleText('yellow', 'Skipped: no TEST_CITUS_URL, and no PostgreSQL with Citus on this machine.'),
  )
} else process.exitCode = await inRunFolder(() => runOnOwnCluster(bin))
