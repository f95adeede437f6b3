import { type Clock, clocksUnavailable } from '../testbed/clock.ts'
import type { LocalTestbed } from '../testbed/local-testbed.ts'
import { type LocalFault, wait, waitUntil } from './timing.ts'

const STEPS_S = [-3_600, -90, -10, 10, 90, 3_600]
const TIMEOUT_MS = 5_000

/** Seconds that the clock is ahead of this process's clock. Null if it does not answer. */
type Ahead = () => Promise<number | null>

/** Steps the clock, waits and steps it back. */
async function step(
  testbed: LocalTestbed,
  clock: Clock,
  ahead: Ahead,
  byS: number,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const isAt = async (expected: number) => Math.abs(((await ahead()) ?? Number.NaN) - expected) < 5
  const back = testbed.onRecover(async () => {
    await clock.step(0)
    // Runs also if the run ends: the following run needs the right time.
    await waitUntil(() => isAt(0), TIMEOUT_MS, AbortSignal.timeout(TIMEOUT_MS))
  })
  try {
    await clock.step(byS)
    const hasStepped = await waitUntil(() => isAt(byS), TIMEOUT_MS, signal)
    await wait(ms, signal)
    return hasStepped
  } finally {
    await back()
  }
}

/** Steps a server's clock. This must change nothing: servers use the database's clock. */
export const serverClockStepped: LocalFault = {
  name: 'server-clock-stepped',
  requires: 'clocks',
  unavailable: clocksUnavailable,
  inject: async (testbed, random, signal) => {
    const at = random.int(0, testbed.servers.length - 1)
    const [server, clock] = [testbed.servers[at], testbed.clocks?.servers[at]]
    if (!server || !clock) return null
    const byS = random.pick(STEPS_S)
    const ahead = () => dateOf(server.serverProxy.port)
    const hasStepped = await step(testbed, clock, ahead, byS, random.int(300, 1_500), signal)
    return hasStepped ? `the clock of ${server.name} stepped by ${byS} s, and back` : null
  },
}

async function dateOf(port: number | null): Promise<number | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) })
    await answer.body?.cancel()
    return (Date.parse(answer.headers.get('date') ?? '') - Date.now()) / 1000
  } catch {
    return null
  }
}

/** Steps the database's clock. Times may go back, but acknowledged data must stay. */
export const databaseClockStepped: LocalFault = {
  name: 'database-clock-stepped',
  requires: 'clocks',
  unavailable: clocksUnavailable,
  inject: async (testbed, random, signal) => {
    const clock = testbed.clocks?.database
    if (!clock) return null
    const byS = random.pick(STEPS_S)
    const ahead = async () => {
      const [row] = await testbed.sql<{ now: number }>(
        'SELECT extract(epoch FROM clock_timestamp())::double precision AS now',
      )
      return (row?.now ?? Number.NaN) - Date.now() / 1000
    }
    const hasStepped = await step(testbed, clock, ahead, byS, random.int(300, 1_500), signal)
    return hasStepped ? `the database's clock stepped by ${byS} s, and back` : null
  },
}
