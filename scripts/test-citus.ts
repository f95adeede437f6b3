/*
 * npm run test:citus -- [FILES]: the tests on distributed tables. On the cluster whose coordinator TEST_CITUS_URL names,
 * else on one of its own if this machine has a PostgreSQL with Citus; else it says that it tries nothing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { styleText } from 'node:util'
import { findCitus, startCitusCluster } from '../tests/support/citus-cluster.ts'

/** Those about claims in the tests' database; the others have none, or one of their own, or see them by the same API. */
const FILES = [
  ...['abuse', 'app', 'e2e', 'faults', 'http', 'storage'].map((folder) => `tests/${folder}/**/*.test.ts`),
  'tests/deterministic/store-contract.test.ts',
  'tests/simulate/fuzz.test.ts',
]

async function runTests(url: string, files: readonly string[]): Promise<number> {
  const options = ['--test', '--test-concurrency=3', '--test-global-setup=tests/support/global-setup.ts']
  const env = { ...process.env, TEST_CITUS_URL: url }
  const [status] = await once(
    spawn(process.execPath, [...options, ...files], { stdio: 'inherit', env }),
    'exit',
  )
  return status ?? 1
}

const files = process.argv.length > 2 ? process.argv.slice(2) : FILES
const given = process.env.TEST_CITUS_URL
const bin = given ? null : findCitus()
if (given) process.exitCode = await runTests(given, files)
else if (bin === null) {
  console.log(
    styleText('yellow', 'Skipped: no TEST_CITUS_URL, and no PostgreSQL with Citus on this machine.'),
  )
} else {
  const cluster = await startCitusCluster(bin)
  // Ctrl-C reaches the tests too, which end by it.
  process.on('SIGINT', () => {})
  try {
    process.exitCode = await runTests(await cluster.createDatabase('claimkeeper_tests'), files)
  } finally {
    await cluster.stop()
  }
}
