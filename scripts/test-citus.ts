/*
 * npm run test:citus -- [FILES] [--suite slow]: the tests on distributed tables. On the cluster whose coordinator TEST_CITUS_URL names,
 * else on one of its own if this machine has a PostgreSQL with Citus; else it says that it tries nothing.
 */
import { parseArgs, styleText } from 'node:util'
import { findCitus, startCitusCluster } from '../tests/support/citus-cluster.ts'
import { inRunFolder } from '../tests/support/run-folder.ts'
import { findTests, runTests, type Suite } from '../tests/support/run-tests.ts'

/** Those about claims in the tests' database; the others have none, or one of their own, or see them by the same API. */
const FILES = [
  ...['abuse', 'app', 'e2e', 'faults', 'http', 'storage'].map((folder) => `tests/${folder}/**/*.test.ts`),
  'tests/deterministic/store-contract.test.ts',
  'tests/simulate/fuzz.slow.test.ts',
]

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

const { values, positionals } = parseArgs({
  options: { suite: { type: 'string', default: 'fast' } },
  allowPositionals: true,
})
const patterns = positionals.length > 0 ? positionals : FILES
const given = process.env.TEST_CITUS_URL
const bin = given ? null : findCitus()
if (given) process.exitCode = await inRunFolder(() => runOn(given))
else if (bin === null) {
  console.log(
    styleText('yellow', 'Skipped: no TEST_CITUS_URL, and no PostgreSQL with Citus on this machine.'),
  )
} else process.exitCode = await inRunFolder(() => runOnOwnCluster(bin))
