import type { App } from '../../app.ts'
import { readLags, timeRoundTrip } from '../../checks/lag-store.ts'
import { DatabaseUnavailable } from '../../platform/database/database-unavailable.ts'
import { readBackgroundState } from '../../platform/database/migrate/background-migrations.ts'
import { readSchemaVersion } from '../../platform/database/migrate/schema-version.ts'
import { THE_SERVICE } from '../../platform/database/pool/places.ts'

/** Asks the database how it is, and what in it waits. If it is away, that is what is measured. */
export async function measureDatabase({ db, overdue }: App): Promise<void> {
  const measures = db.metrics.instruments
  try {
    await db.reads.for(THE_SERVICE).withConnection(async (connection) => {
      measures.databaseRoundTripSeconds.set((await timeRoundTrip(connection)) / 1_000)
      measures.databaseUp.set(1)
      measures.migration.set((await readSchemaVersion(connection)).version)
      const background = await readBackgroundState(connection)
      measures.migrationsInBackground.set(background?.left ?? 0)
      measures.migrationProgress.set(background?.progress ?? 1)
      measures.overdueSeconds.set(await overdue.seconds(connection))
      const { dueDelivery, heldFeed } = await readLags(connection)
      measures.webhookOldestDueSeconds.set(dueDelivery)
      measures.notificationLagSeconds.set(heldFeed)
    })
  } catch (error) {
    measures.databaseUp.set(0)
    if (!(error instanceof DatabaseUnavailable)) throw error
  }
}
