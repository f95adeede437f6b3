import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const RETRY_TIMEOUT_MS = 30_000

/** Retries for up to 30 s while PostgreSQL fails with one of these SQLSTATEs. */
export async function retryWhile(
  sqlStates: readonly string[],
  attempt: () => Promise<unknown>,
): Promise<void> {
  const deadline = performance.now() + RETRY_TIMEOUT_MS
  for (;;) {
    try {
      await attempt()
      return
    } catch (error) {
      const mayPass = error instanceof pg.DatabaseError && sqlStates.includes(error.code ?? '')
      if (!mayPass || performance.now() > deadline) throw error
      await pause(20)
    }
  }
}
