import { testFaults } from './fault-table.ts'
import { CHECK_OPERATIONS } from './operations/check.ts'

await testFaults([...CHECK_OPERATIONS])
