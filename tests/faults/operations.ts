import type { Operation } from './fault-table.ts'
import { ARCHIVE_OPERATIONS } from './operations/archive.ts'
import { CHECK_OPERATIONS } from './operations/check.ts'
import { CONTRACT_OPERATIONS } from './operations/contracts.ts'
import { CREATION_OPERATIONS } from './operations/creation.ts'
import { NOTIFICATION_OPERATIONS } from './operations/notifications.ts'
import { SUBMISSION_OPERATIONS } from './operations/submissions.ts'
import { TEST_CLOCK_OPERATIONS } from './operations/test-clocks.ts'
import { TOKEN_OPERATIONS } from './operations/tokens.ts'
import { UNUSED_CONTRACT_OPERATIONS } from './operations/unused-contracts.ts'
import { WEBHOOK_OPERATIONS } from './operations/webhooks.ts'

/** All operations with fault injection. Each has a test file in this folder. */
export const OPERATIONS: readonly Operation[] = [
  ...SUBMISSION_OPERATIONS,
  ...CHECK_OPERATIONS,
  ...CREATION_OPERATIONS,
  ...TEST_CLOCK_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...ARCHIVE_OPERATIONS,
  ...CONTRACT_OPERATIONS,
  ...UNUSED_CONTRACT_OPERATIONS,
  ...NOTIFICATION_OPERATIONS,
]
