import type { Connection } from '../storage/database/connection.ts'
import type { Database } from '../storage/database/database.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { Attempts } from './accounts/attempts.ts'
import { Doorway } from './accounts/doorway.ts'
import { Passwords } from './accounts/passwords.ts'
import { Overdue } from './check/overdue.ts'
import { ContractHints } from './claims/contract-hints.ts'
import { newShortClaims, type ShortClaims } from './claims/short-claims.ts'
import { AliasTries } from './creation/alias-tries.ts'
import { CreationGroups } from './creation/creation-groups.ts'
import { FeedCursors } from './notifications/feed-cursors.ts'
import { FeedWatch } from './notifications/feed-watch.ts'
import { Overviews } from './overview/overviews.ts'
import { Pace } from './pace.ts'
import type { Part } from './part.ts'
import { SubmissionQueue } from './submission/submission-queue.ts'
import { HeldClocks } from './test-clocks/held-clocks.ts'
import { TokenOwners } from './tokens/token-owners.ts'
import { TokenUse } from './tokens/token-use.ts'
import { BackgroundMigrations } from './upgrade/background-migrations.ts'
import { WebhookSecrets } from './webhooks/webhook-secrets.ts'

/** What every use case works on. */
export interface App {
  db: Database
  /** Null if there are no traces. */
  tracing: Tracing | null
  submissions: SubmissionQueue
  overdue: Overdue
  /** Of what gives way to submissions. */
  pace: Pace
  creations: CreationGroups
  shortClaims: ShortClaims
  contractHints: ContractHints
  heldClocks: HeldClocks
  tokenOwners: TokenOwners
  tokenUse: TokenUse
  overviews: Overviews
  feedCursors: FeedCursors
  feedWatch: FeedWatch
  webhookSecrets: WebhookSecrets
  backgroundMigrations: BackgroundMigrations
  attempts: Attempts
  passwords: Passwords
  /** Through which people come to sign in or up, or to change their password: a hash each, and a few statements. */
  signIns: Doorway
  /** Through which they come to look at an invitation. */
  invitationLookups: Doorway
  aliasTries: AliasTries
}

/**
 * @param webhookKey under which the operator has secrets of webhooks encrypted; null for one in the database
 * @param tracing null for no traces
 */
export function createApp(
  db: Database,
  webhookKey: string | null = null,
  tracing: Tracing | null = null,
): App {
  const heldClocks = new HeldClocks(db)
  const pace = new Pace()
  return {
    db,
    tracing,
    submissions: new SubmissionQueue(db, heldClocks, pace, tracing),
    overdue: new Overdue(),
    pace,
    creations: new CreationGroups(db),
    shortClaims: newShortClaims(db),
    contractHints: new ContractHints(),
    heldClocks,
    tokenOwners: new TokenOwners(db),
    tokenUse: new TokenUse(db),
    overviews: new Overviews(db),
    feedCursors: new FeedCursors(db),
    feedWatch: new FeedWatch(db),
    webhookSecrets: new WebhookSecrets(db, webhookKey),
    backgroundMigrations: new BackgroundMigrations(db),
    attempts: new Attempts(db.identity),
    passwords: new Passwords(),
    signIns: new Doorway({ atOnce: 3, waiting: 50, waitingOfOne: 10, patienceMs: 20_000 }),
    invitationLookups: new Doorway({ atOnce: 1, waiting: 50, waitingOfOne: 10, patienceMs: 5_000 }),
    aliasTries: new AliasTries(),
  }
}

/** The same, but that what an account writes and reads is in the transaction of this connection. Claims are not created there. */
export const appWithin = (app: App, connection: Connection): App => ({
  ...app,
  db: app.db.within(connection),
  creations: app.creations.within(connection),
})

/**
 * What an account writes and then reads for its answer, in one transaction: if it cannot be read, nothing is written, and no
 * secret is lost that only the answer has.
 */
export const inTransaction = <T>(app: App, userId: string, work: (within: App) => Promise<T>): Promise<T> =>
  app.db.writes.for(userId).transaction((connection) => work(appWithin(app, connection)))

/** Those that start and stop with the service. */
export const partsOf = (app: App): Part[] => [
  app.tokenOwners,
  app.tokenUse,
  app.heldClocks,
  app.submissions,
  app.creations,
  app.shortClaims,
  app.overviews,
  app.feedCursors,
  app.feedWatch,
  app.webhookSecrets,
  app.backgroundMigrations,
]
