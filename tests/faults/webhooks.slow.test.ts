import { testFaults } from './fault-table.ts'
import { WEBHOOK_OPERATIONS } from './operations/webhooks.ts'

await testFaults([...WEBHOOK_OPERATIONS])
