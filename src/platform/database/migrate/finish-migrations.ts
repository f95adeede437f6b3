import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import { withRejectionHandler, withTimeout } from '../../../kernel/promises.ts'
import type { BackgroundState } from './run-background-migrations.ts'

const LOOK_EVERY_MS = 500

/**
 * Resolves when all migrations that run in the background are done, here or on a server. Of those that only newer code knows,
 * it returns how many it leaves to that.
 * @param onProgress hears again and again how it goes
 * @throws what the database says
 */
export async function finishMigrations(
  { backgroundMigrations }: App,
  onProgress: (state: BackgroundState) => void,
): Promise<number> {
  for (;;) {
    const state = await backgroundMigrations.state()
    if (state === null || state.name === null) return state?.left ?? 0
    onProgress(state)
    let isOver = false
    const run = withRejectionHandler(
      backgroundMigrations.run().finally(() => {
        isOver = true
      }),
    )
    while (!isOver) {
      await withTimeout(LOOK_EVERY_MS, run)
      const now = isOver ? null : await backgroundMigrations.state()
      if (now) onProgress(now)
    }
    // Otherwise a server is at it, or PostgreSQL still is for one that is gone.
    if (!(await run)) await pause(LOOK_EVERY_MS)
  }
}
