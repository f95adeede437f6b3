import { setTimeout as pause } from 'node:timers/promises'
import { now } from './clients/exchange.ts'
import type { Weather } from './clients/world.ts'
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
    const fault = chooseFault(faults, struck, random)
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

/** Those that wait for the check are chosen shortly before it, so that nothing waits long. */
const NEAR_CHECK_MS = 15_000
const MINUTE_MS = 60_000

function chooseFault<On extends Stage>(
  faults: readonly Fault<On>[],
  struck: ReadonlyMap<string, number>,
  random: Random,
): Fault<On> {
  const isNear = MINUTE_MS - (now() % MINUTE_MS) < NEAR_CHECK_MS
  const able = faults.filter(({ name }) => isNear || !/at-check|check-struck/.test(name))
  const among = able.length > 0 ? able : faults
  const fewest = Math.min(...among.map(({ name }) => struck.get(name) ?? 0))
  return random.pick(among.filter(({ name }) => (struck.get(name) ?? 0) === fewest))
}
