import { testFaults } from './fault-table.ts'
import { TEST_CLOCK_OPERATIONS } from './operations/test-clocks.ts'

await testFaults([...TEST_CLOCK_OPERATIONS])
