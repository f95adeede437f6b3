import { testFaults } from './fault-table.ts'
import { TOKEN_OPERATIONS } from './operations/tokens.ts'

await testFaults([...TOKEN_OPERATIONS])
