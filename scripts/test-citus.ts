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
  'tests/database/{constraints,distribution,lock-order,lost-machine,migrate,shard-statements,take-positions,worker-settings}.test.ts',
  'tests/checks/{check-turns,run-scheduled-check}.test.ts',
  'tests/doctor/try-decisions.test.ts',
  'tests/{archive/archived-claims,customers/customers,test-clocks/test-clocks}.test.ts',
  'tests/claims/{candidates,claim-batches-schemas,claims}.test.ts',
  'tests/events/{event-results,events-lifecycle,events-replay,events-submission}.test.ts',
  'tests/claims/lists/{list-filters,lists}.test.ts',
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
