import { OF_ACCOUNTS } from './mutants/accounts.ts'
import { OF_ANSWERS } from './mutants/answers.ts'
import { OF_CHECKS } from './mutants/checks.ts'
import { OF_FEED } from './mutants/feed.ts'
import { OF_LISTS } from './mutants/lists.ts'
import type { Mutant } from './mutants/mutant.ts'
import { OF_PEOPLE } from './mutants/people.ts'
import { OF_PLUMBING } from './mutants/plumbing.ts'
import { OF_SHARDS } from './mutants/shards.ts'
import { OF_SUBMISSIONS } from './mutants/submissions.ts'
import { OF_WEBHOOKS } from './mutants/webhooks.ts'

export const MUTANTS: readonly Mutant[] = [
  ...OF_SUBMISSIONS,
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
