import { parseArgs } from 'node:util'
import { inRunFolder } from '../tests/support/run-folder.ts'
import { findTests, runTests, type Suite } from '../tests/support/run-tests.ts'

const USAGE = `Usage: npm test [-- FILES] [--name PATTERN]

Runs the fast tests; npm run test:slow and npm run test:nightly run the other suites.

FILES are names or patterns in quotes. A pattern selects files of the suite. A file that is
named in full is run whatever its suite. --name selects tests by a part of their names.
`

try {
  const { values, positionals } = parseArgs({
    options: {
      suite: { type: 'string', default: 'fast' },
      name: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  })
  if (values.help) {
    console.log(USAGE)
  } else {
    const patterns = positionals.length > 0 ? positionals : ['tests/**/*.test.ts']
    const files = findTests(patterns, values.suite as Suite)
    process.exitCode = await inRunFolder(() => runTests(files, { name: values.name }))
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
