import type { App } from '../app.ts'
import { sumUpResolutions as sumUp } from '../overview/resolution-total-store.ts'
import { tryHoldChecks } from './check-turn-store.ts'

/**
 * Keeps the sums of what was resolved up to date, so that overviews need to read but the last minutes one by one. While
 * a scheduled check is on, that is left for the next time.
 */
export function sumUpResolutions(app: App): Promise<void> {
  return app.db.checks.transaction(async (connection) => {
    if (await tryHoldChecks(connection)) await sumUp(connection)
  })
}
