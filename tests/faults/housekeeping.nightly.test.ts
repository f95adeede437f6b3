import { testFaults } from './fault-table.ts'
import { CONTRACT_OPERATIONS } from './operations/contracts.ts'
import { NOTIFICATION_OPERATIONS } from './operations/notifications.ts'
import { UNUSED_CONTRACT_OPERATIONS } from './operations/unused-contracts.ts'

await testFaults([...CONTRACT_OPERATIONS, ...NOTIFICATION_OPERATIONS, ...UNUSED_CONTRACT_OPERATIONS])
