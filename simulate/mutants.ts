import { OF_ACCOUNTS, OF_PEOPLE } from './mutants/accounts.ts'
import { OF_CHECKS } from './mutants/checks.ts'
import { OF_SHARDS } from './mutants/citus.ts'
import { OF_PLUMBING } from './mutants/database.ts'
import { OF_SUBMISSIONS } from './mutants/events.ts'
import { OF_EXTENDED } from './mutants/extended.ts'
import { OF_ANSWERS } from './mutants/http.ts'
import { OF_LISTS } from './mutants/lists.ts'
import type { Mutant } from './mutants/mutant.ts'
import { OF_FEED } from './mutants/notifications.ts'
import { OF_WEBHOOKS } from './mutants/webhooks.ts'

export const MUTANTS: readonly Mutant[] = [
  ...OF_SUBMISSIONS,
  ...OF_EXTENDED,
  ...OF_CHECKS,
  ...OF_ACCOUNTS,
  ...OF_PEOPLE,
  ...OF_LISTS,
  ...OF_FEED,
  ...OF_WEBHOOKS,
  ...OF_ANSWERS,
  ...OF_PLUMBING,
  ...OF_SHARDS,
]
