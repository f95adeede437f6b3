import { setTimeout as pause } from 'node:timers/promises'
import { now } from './operations/exchange.ts'
import type { Weather } from './operations/world.ts'
import type { Random } from './random.ts'
import type { Fault, Stage } from './stage.ts'

/** Strikes with one fault after the other, each as often as the others, with calm of random length between. */
export async function strikeOnAndOn<On extends Stage>(
  stage: On,
  faults: readonly Fault<On>[],
  random: Random,
  weather: Weather,
  struck: Map<string, number>,
  goesOn: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let round = 0; goesOn() && faults.length > 0; round++) {
    const fewest = Math.min(...struck.values())
    const fault = random.pick(faults.filter(({ name }) => struck.get(name) === fewest))
    await pause(random.int(200, 3_000), undefined, { signal }).catch(() => {})
    if (!goesOn()) return
    const end = weather.begin(now())
    try {
      const done = await fault.strike(stage, random.fork(`strike ${round}`), signal)
      if (done !== null) struck.set(fault.name, (struck.get(fault.name) ?? 0) + 1)
    } finally {
      end(now())
    }
  }
}
