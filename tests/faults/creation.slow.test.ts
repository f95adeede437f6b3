import { testFaults } from './fault-table.ts'
import { CREATION_OPERATIONS } from './operations/creation.ts'

await testFaults([...CREATION_OPERATIONS])
