import { tryHoldChecks } from '../../storage/claim-writes/check-turns.ts'
import { sumUpResolutions as sumUp } from '../../storage/overview/resolution-totals.ts'
import type { App } from '../app.ts'

/**
 * Keeps the sums of what was resolved up to date, so that overviews need to read but the last minutes one by one. While
 * a scheduled check is on, that is left for the next time.
 */
export function sumUpResolutions(app: App): Promise<void> {
  return app.db.checks.transaction(async (connection) => {
    if (await tryHoldChecks(connection)) await sumUp(connection)
  })
}
