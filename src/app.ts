import type { AttemptLimiter } from './accounts/attempt-limiter.ts'
import type { Passwords } from './accounts/passwords.ts'
import type { TokenOwners, TokenUseRecorder } from './accounts/tokens/token-owners.ts'
import type { CalendarTimes } from './calendars/calendar-times.ts'
import type { OverdueLag } from './checks/lag-store.ts'
import type { AliasDisclosureLimit } from './claims/create/alias-disclosure-limit.ts'
import type { CreationBatchers } from './claims/create/creation-batchers.ts'
import type { ShortClaimBatcher } from './claims/short-claims.ts'
import type { ContractHintsCache } from './contracts/contract-hints-cache.ts'
import type { GroupCommit } from './events/submission/group-commit.ts'
import type { FeedCursors } from './notifications/feed-cursors.ts'
import type { FeedWatch } from './notifications/feed-watch.ts'
import type { OverviewCache } from './overview/overview-cache.ts'
import type { AdaptiveThrottle } from './platform/concurrency/adaptive-throttle.ts'
import type { FairSemaphore } from './platform/concurrency/fair-semaphore.ts'
import type { Database } from './platform/database/database.ts'
import type { BackgroundMigrations } from './platform/database/migrate/run-background-migrations.ts'
import type { Tracing } from './platform/observability/tracing.ts'
import type { LockedClocks } from './test-clocks/locked-clocks.ts'
import type { WebhookSecrets } from './webhooks/webhook-secrets.ts'

/** What every use case works on. */
export interface App {
  db: Database
  /** Null if there are no traces. */
  tracing: Tracing | null
  submissions: GroupCommit
  overdueLag: OverdueLag
  /** For background work. */
  throttle: AdaptiveThrottle
  creations: CreationBatchers
  calendarTimes: CalendarTimes
  shortClaims: ShortClaimBatcher
  contractHints: ContractHintsCache
  lockedClocks: LockedClocks
  tokenOwners: TokenOwners
  tokenUse: TokenUseRecorder
  overviews: OverviewCache
  feedCursors: FeedCursors
  feedWatch: FeedWatch
  webhookSecrets: WebhookSecrets
  backgroundMigrations: BackgroundMigrations
  attempts: AttemptLimiter
  passwords: Passwords
  /** Limits sign-ins, sign-ups and changes of passwords, by address: each costs a hash and a few statements. */
  signIns: FairSemaphore
  /** Limits requests for an invitation, by address. */
  invitationLookups: FairSemaphore
  aliasDisclosureLimit: AliasDisclosureLimit
}
