/*
 * npm test [-- FILES] [--name PATTERN], npm run test:slow, npm run test:nightly: the tests of a suite, or of these files.
 * A pattern in quotes matches files of the suite; a file that is named in full is run whatever its suite.
 */
import { parseArgs } from 'node:util'
import { inRunFolder } from '../tests/support/run-folder.ts'
import { findTests, runTests, type Suite } from '../tests/support/run-tests.ts'

try {
  const { values, positionals } = parseArgs({
    options: { suite: { type: 'string', default: 'fast' }, name: { type: 'string' } },
    allowPositionals: true,
  })
  const patterns = positionals.length > 0 ? positionals : ['tests/**/*.test.ts']
  const files = findTests(patterns, values.suite as Suite)
  process.exitCode = await inRunFolder(() => runTests(files, { name: values.name }))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
