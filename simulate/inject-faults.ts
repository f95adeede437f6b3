import { setTimeout as pause } from 'node:timers/promises'
import type { FaultPeriods } from './clients/fault-periods.ts'
import { now } from './clients/http-connection.ts'
import type { Random } from './random.ts'
import type { Fault, Testbed } from './testbed.ts'

/** Pause between two faults. The service recovers in it. */
const PAUSE_MS = [100, 1_500] as const

/** Injects one fault after the other, equally often, with random pauses. */
export async function injectFaults<On extends Testbed>(
  testbed: On,
  faults: readonly Fault<On>[],
  random: Random,
  faultPeriods: FaultPeriods,
  injected: Map<string, number>,
  shouldContinue: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const scheduler = new FaultScheduler(faults)
  for (let round = 0; shouldContinue() && faults.length > 0; round++) {
    await pause(random.int(...PAUSE_MS), undefined, { signal }).catch(() => {})
    if (!shouldContinue()) return
    const fault = scheduler.next(now(), random)
    const end = faultPeriods.begin(now())
    try {
      const effect = await fault.inject(testbed, random.fork(`fault ${round}`), signal)
      if (effect !== null) injected.set(fault.name, (injected.get(fault.name) ?? 0) + 1)
    } finally {
      end(now())
    }
  }
}

/** Shortly before a check only faults at checks are chosen. */
const NEAR_CHECK_MS = 5_000
const MINUTE_MS = 60_000

/** Chooses each fault equally often, also one that cannot be injected, so that none blocks the others. */
export class FaultScheduler<F extends Pick<Fault, 'name' | 'atCheck'>> {
  readonly #faults: readonly F[]
  readonly #counts = new Map<string, number>()

  constructor(faults: readonly F[]) {
    this.#faults = faults
  }

  next(at: number, random: Pick<Random, 'pick'>): F {
    const isNear = MINUTE_MS - (at % MINUTE_MS) < NEAR_CHECK_MS
    const suitable = this.#faults.filter(({ atCheck = false }) => atCheck === isNear)
    const candidates = suitable.length > 0 ? suitable : this.#faults
    const fewest = Math.min(...candidates.map(({ name }) => this.#counts.get(name) ?? 0))
    const fault = random.pick(candidates.filter(({ name }) => (this.#counts.get(name) ?? 0) === fewest))
    this.#counts.set(fault.name, fewest + 1)
    return fault
  }
}
