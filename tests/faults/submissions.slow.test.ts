import { testFaults } from './fault-table.ts'
import { SUBMISSION_OPERATIONS } from './operations/submissions.ts'

await testFaults([...SUBMISSION_OPERATIONS])
