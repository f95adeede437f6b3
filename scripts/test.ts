/*
 * npm test [-- FILES]: all tests, or those of these files.
 */
import { inRunFolder } from '../tests/support/run-folder.ts'
import { runTests } from '../tests/support/run-tests.ts'

const files = process.argv.slice(2)
process.exitCode = await inRunFolder(() => runTests(files.length > 0 ? files : ['tests/**/*.test.ts']))
