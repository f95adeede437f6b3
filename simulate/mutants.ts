import { ACCOUNT_MUTANTS, SESSION_MUTANTS } from './mutants/accounts.ts'
import { SCHEDULED_CHECK_MUTANTS } from './mutants/checks.ts'
import { CITUS_MUTANTS } from './mutants/citus.ts'
import { DATABASE_MUTANTS } from './mutants/database.ts'
import { EVENT_MUTANTS } from './mutants/events.ts'
import { EXTENDED_CONTRACT_MUTANTS } from './mutants/extended.ts'
import { HTTP_MUTANTS } from './mutants/http.ts'
import { LIST_MUTANTS } from './mutants/lists.ts'
import type { Mutant } from './mutants/mutant.ts'
import { NOTIFICATION_MUTANTS } from './mutants/notifications.ts'
import { WEBHOOK_MUTANTS } from './mutants/webhooks.ts'

export const MUTANTS: readonly Mutant[] = [
  ...EVENT_MUTANTS,
  ...EXTENDED_CONTRACT_MUTANTS,
  ...SCHEDULED_CHECK_MUTANTS,
  ...ACCOUNT_MUTANTS,
  ...SESSION_MUTANTS,
  ...LIST_MUTANTS,
  ...NOTIFICATION_MUTANTS,
  ...WEBHOOK_MUTANTS,
  ...HTTP_MUTANTS,
  ...DATABASE_MUTANTS,
  ...CITUS_MUTANTS,
]
