import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimWatch } from './claim-watch.ts'

const POLL_INTERVAL_MS = 3_000
/** The service looks once a minute which windows have elapsed (§3 rule 1). */
const CHECK_INTERVAL_SECONDS = 60

/** The longest that claims can take to become terminal once all are open: each window, and the next check. */
export function longestWaitSeconds(contract: { activity_window: number; review_window: number }): number {
  return contract.activity_window + contract.review_window + 2 * CHECK_INTERVAL_SECONDS
}

/** Waits until every claim is terminal or the person presses Ctrl-C, which must not cost them the table. */
export async function awaitChecks(watch: ClaimWatch, onTerminal: (count: number) => void): Promise<void> {
  const stopper = new AbortController()
  const stop = () => stopper.abort()
  // Stays in place after the first: npm passes on a Ctrl-C that the terminal has sent to us already.
  process.on('SIGINT', stop)
  try {
    while (!watch.isDone) {
      await watch.refresh(stopper.signal)
      onTerminal(watch.terminalCount)
      if (!watch.isDone) await sleep(POLL_INTERVAL_MS, undefined, { signal: stopper.signal })
    }
  } catch (error) {
    if (!stopper.signal.aborted) throw error
  }
}
