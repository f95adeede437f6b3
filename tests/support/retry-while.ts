import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const PATIENCE_MS = 30_000

/** Tries again while the database refuses with one of these states, which pass by themselves. */
export async function retryWhile(states: readonly string[], attempt: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      await attempt()
      return
    } catch (error) {
      const mayPass = error instanceof pg.DatabaseError && states.includes(error.code ?? '')
      if (!mayPass || performance.now() > deadline) throw error
      await pause(20)
    }
  }
}
