import { testFaults } from './fault-table.ts'
import { ARCHIVE_OPERATIONS } from './operations/archive.ts'

await testFaults([...ARCHIVE_OPERATIONS])
