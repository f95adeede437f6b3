import { AttemptLimiter } from '../accounts/attempt-limiter.ts'
import { INVITATION_LOOKUPS_IN_PROGRESS, SIGN_INS_IN_PROGRESS } from '../accounts/limits.ts'
import { Passwords } from '../accounts/passwords.ts'
import { TokenOwners, TokenUseRecorder } from '../accounts/tokens/token-owners.ts'
import { unauthenticatedLimit } from '../accounts/unauthenticated-limit.ts'
import type { App } from '../app.ts'
import { CalendarTimes } from '../calendars/calendar-times.ts'
import { OverdueLag } from '../checks/lag-store.ts'
import { AliasDisclosureLimit } from '../claims/create/alias-disclosure-limit.ts'
import { CreationBatchers } from '../claims/create/creation-batchers.ts'
import { newShortClaimBatcher } from '../claims/short-claims.ts'
import { ContractHintsCache } from '../contracts/contract-hints-cache.ts'
import { GroupCommit } from '../events/submission/group-commit.ts'
import type { Lifecycle } from '../kernel/start-stop.ts'
import { FeedCursors } from '../notifications/feed-cursors.ts'
import { FeedWatch } from '../notifications/feed-watch.ts'
import { OverviewCache } from '../overview/overview-cache.ts'
import { AdaptiveThrottle } from '../platform/concurrency/adaptive-throttle.ts'
import type { Database } from '../platform/database/database.ts'
import { BackgroundMigrations } from '../platform/database/migrate/run-background-migrations.ts'
import { type CommandOptions, withDatabase } from '../platform/database/open-database.ts'
import type { Tracing } from '../platform/observability/tracing.ts'
import { LockedClocks } from '../test-clocks/locked-clocks.ts'
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts'

/**
 * @param webhookKey the operator's key that encrypts the secrets of webhooks; null: the key is stored in the database
 * @param tracing null: no traces are recorded
 */
export function createApp(
  db: Database,
  webhookKey: string | null = null,
  tracing: Tracing | null = null,
): App {
  const lockedClocks = new LockedClocks(db)
  const throttle = new AdaptiveThrottle()
  const calendarTimes = new CalendarTimes()
  return {
    db,
    tracing,
    submissions: new GroupCommit(db, lockedClocks, throttle, tracing, calendarTimes),
    overdueLag: new OverdueLag(),
    throttle,
    creations: new CreationBatchers(db),
    calendarTimes,
    shortClaims: newShortClaimBatcher(db),
    contractHints: new ContractHintsCache(),
    lockedClocks,
    tokenOwners: new TokenOwners(db),
    tokenUse: new TokenUseRecorder(db),
    overviews: new OverviewCache(db),
    feedCursors: new FeedCursors(db),
    feedWatch: new FeedWatch(db),
    webhookSecrets: new WebhookSecrets(db, webhookKey),
    backgroundMigrations: new BackgroundMigrations(db),
    attempts: new AttemptLimiter(db.identity),
    passwords: new Passwords(),
    signIns: unauthenticatedLimit(SIGN_INS_IN_PROGRESS),
    invitationLookups: unauthenticatedLimit(INVITATION_LOOKUPS_IN_PROGRESS),
    aliasDisclosureLimit: new AliasDisclosureLimit(),
  }
}

/** The parts of the app that start and stop with the service. */
export const lifecyclesOf = (app: App): Lifecycle[] => [
  app.tokenOwners,
  app.tokenUse,
  app.lockedClocks,
  app.submissions,
  app.creations,
  app.shortClaims,
  app.overviews,
  app.feedCursors,
  app.feedWatch,
  app.webhookSecrets,
  app.backgroundMigrations,
]

/** Runs the work of a command on an app that is not started. */
export const withApp = <T>(options: CommandOptions, work: (app: App) => Promise<T>): Promise<T> =>
  withDatabase(options, ({ db }) => work(createApp(db)))
