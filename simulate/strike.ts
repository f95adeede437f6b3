import { setTimeout as pause } from 'node:timers/promises'
import { now } from './clients/exchange.ts'
import type { Weather } from './clients/weather.ts'
import type { Random } from './random.ts'
import type { Fault, Stage } from './stage.ts'

/** Pause between two faults, in which the recovery is visible. */
const CALM_MS = [100, 1_500] as const

/** Strikes one fault after the other, equally often, with random pauses. */
export async function strikeOnAndOn<On extends Stage>(
  stage: On,
  faults: readonly Fault<On>[],
  random: Random,
  weather: Weather,
  struck: Map<string, number>,
  goesOn: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const turns = new Turns(faults)
  for (let round = 0; goesOn() && faults.length > 0; round++) {
    await pause(random.int(...CALM_MS), undefined, { signal }).catch(() => {})
    if (!goesOn()) return
    const fault = turns.next(now(), random)
    const end = weather.begin(now())
    try {
      const done = await fault.strike(stage, random.fork(`strike ${round}`), signal)
      if (done !== null) struck.set(fault.name, (struck.get(fault.name) ?? 0) + 1)
    } finally {
      end(now())
    }
  }
}

/** Faults around a check are chosen shortly before it, ahead of all others. */
const NEAR_CHECK_MS = 5_000
const MINUTE_MS = 60_000

/** Each fault has its turn equally often, whether it could strike or not, so that none blocks the others. */
export class Turns<F extends Pick<Fault, 'name' | 'atCheck'>> {
  readonly #faults: readonly F[]
  readonly #had = new Map<string, number>()

  constructor(faults: readonly F[]) {
    this.#faults = faults
  }

  next(at: number, random: Pick<Random, 'pick'>): F {
    const isNear = MINUTE_MS - (at % MINUTE_MS) < NEAR_CHECK_MS
    const able = this.#faults.filter(({ atCheck = false }) => atCheck === isNear)
    const among = able.length > 0 ? able : this.#faults
    const fewest = Math.min(...among.map(({ name }) => this.#had.get(name) ?? 0))
    const fault = random.pick(among.filter(({ name }) => (this.#had.get(name) ?? 0) === fewest))
    this.#had.set(fault.name, fewest + 1)
    return fault
  }
}
