import type { Attack } from '../../tests/abuse/attack.ts'
import { ATTACKS } from '../../tests/abuse/catalogue.ts'
import {
  type Damage,
  MAX_MB_AFTER,
  MAX_MB_DURING,
  MAX_P95_MS,
  MAX_WEBHOOK_P95_MS,
  measureAttack,
  SPARE_DESCRIPTORS,
} from '../../tests/abuse/measure-attack.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { Part, PartReport } from '../part.ts'
import type { ServerProcess } from '../server-process.ts'

const WARMUP_MS = 2_000
/** The server closes an incomplete request after at most 35 s, a stalled stream after 61 s. The last request may start at the end. */
const STAYS_MS = 75_000

export const abuse: Part = {
  name: 'abuse',
  summary: 'requests of a second account during each attack by another account',
  run: async (bench, report) => {
    const { attacks: names } = bench.options
    const attacks = ATTACKS.filter(({ name }) => names.length === 0 || names.includes(name))
    const database = await (await bench.cluster()).createDatabase('bench_abuse')
    let server = await bench.startServer(database)
    const damages = new Map<string, Damage>()
    for (const attack of attacks) {
      const damage = await measure(bench, attack, server, database)
      damages.set(attack.name, damage)
      reportAttack(bench, report, attack, damage, server.takeErrors())
      // A new server: effects of this attack must not count against the next attack.
      if (faultsOf(damage).length > 0) {
        await bench.stopServer(server)
        server = await bench.startServer(database)
      }
    }
    reportWorst(report, [...damages.values()])
    const broken = [...damages].filter(([, damage]) => faultsOf(damage).length > 0)
    if (broken.length > 0) {
      throw new Error(
        `${broken.length} of ${damages.size} attacks exceeded limits: ${broken.map(([name]) => name).join(', ')}`,
      )
    }
  },
}

async function measure(
  bench: Bench,
  attack: Attack,
  server: ServerProcess,
  database: BenchDatabase,
): Promise<Damage> {
  const { attackMs, calmMs } = bench.sizes
  bench.progress.doing(attack.name)
  const victim = { url: server.url, pid: server.pid, sql: database.sql }
  const isLong = attackMs >= WARMUP_MS
  const ms = isLong && attack.seconds !== undefined ? attack.seconds * 1000 : attackMs
  return measureAttack(attack, victim, {
    ms,
    warmupMs: WARMUP_MS,
    calmMs,
    calmMb: MAX_MB_AFTER,
    staysMs: isLong ? STAYS_MS : 0,
    scale: isLong ? 1 : 0.1,
  })
}

/** Descriptions of the exceeded limits. */
function faultsOf(damage: Damage): string[] {
  const faults: [boolean, string][] = [
    [!damage.isAlive, 'the process ended'],
    [damage.p95 > MAX_P95_MS, `p95 ${Math.round(damage.p95)} ms`],
    [damage.refused > 0, `${damage.refused} of ${damage.sent} refused (${damage.firstRefusal})`],
    [damage.lost > 0, `${damage.lost} acknowledged events lost`],
    [damage.webhookP95 > MAX_WEBHOOK_P95_MS, `webhooks p95 ${Math.round(damage.webhookP95)} ms`],
    [damage.unnotified > 0, `${damage.unnotified} claims without notification`],
    [damage.peakMb > MAX_MB_DURING, `${Math.round(damage.peakMb)} MB`],
    [damage.mbAfter > MAX_MB_AFTER, `${Math.round(damage.mbAfter)} MB after`],
    [damage.descriptorsLeft > SPARE_DESCRIPTORS, `${damage.descriptorsLeft} descriptors left`],
  ]
  return faults.filter(([isFault]) => isFault).map(([, words]) => words)
}

function reportAttack(
  bench: Bench,
  report: PartReport,
  attack: Attack,
  damage: Damage,
  errors: string[],
): void {
  const faults = faultsOf(damage)
  const { seen, descriptorsPeak, descriptorsLeft } = damage
  const figures = `p95 ${Math.round(damage.p95)} ms, slowest ${Math.round(damage.slowest)} ms, refused ${damage.refused}, webhooks p95 ${Math.round(damage.webhookP95)} ms, ${Math.round(damage.peakMb)} MB, then ${Math.round(damage.mbAfter)} MB, descriptors ${descriptorsPeak}, then ${descriptorsLeft}`
  bench.progress.say(
    `  ${attack.name}: ${figures} ${JSON.stringify(seen)}${faults.length > 0 ? ` LIMITS EXCEEDED: ${faults.join('; ')}` : ''}`,
  )
  if (errors.length > 0) bench.progress.say(`    ${errors.length} errors in the log; the first: ${errors[0]}`)
  const detail = { attack: attack.name, does: attack.description, errors: errors.length, ...damage }
  report.row({ what: attack.name, p50: damage.p50, note: faults.join('; ') || figures, detail })
}

function reportWorst(report: PartReport, damages: readonly Damage[]): void {
  const worst = (pick: (damage: Damage) => number) => Math.max(0, ...damages.map(pick))
  const sum = (pick: (damage: Damage) => number) => damages.reduce((total, damage) => total + pick(damage), 0)
  report.figure(
    'abuse_worst_p95_ms',
    worst(({ p95 }) => p95),
  )
  report.figure(
    'abuse_worst_webhook_p95_ms',
    worst(({ webhookP95 }) => webhookP95),
  )
  report.figure(
    'abuse_untold',
    sum(({ unnotified }) => unnotified),
  )
  report.figure(
    'abuse_refused',
    sum(({ refused }) => refused),
  )
  report.figure(
    'abuse_lost',
    sum(({ lost }) => lost),
  )
  report.figure(
    'abuse_deaths',
    sum(({ isAlive }) => Number(!isAlive)),
  )
  report.figure(
    'abuse_peak_mb',
    worst(({ peakMb }) => peakMb),
  )
  report.figure(
    'abuse_mb_after',
    worst(({ mbAfter }) => mbAfter),
  )
  report.figure(
    'abuse_descriptors_left',
    worst(({ descriptorsLeft }) => descriptorsLeft),
  )
}
