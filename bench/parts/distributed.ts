import type { Bench } from '../bench.ts'
import { percentilesOf } from '../measured.ts'
import type { Part, PartReport } from '../part.ts'
import { type Costs, costsOf, meanCosts, type PairedTurn, ratiosOf } from '../sides/paired.ts'
import { clusterOf, type Side, sideOnCluster } from '../sides/side.ts'
import { checkAt } from '../sides/side-check.ts'
import { createAt, type SideMeasured, submitTo, warmUp } from '../sides/side-load.ts'
import type { Spread } from '../sides/spread.ts'
import { EVENTS_PER_BATCH } from '../sizes.ts'

const SINGLE_CONNECTIONS = 32
const MANY_CONNECTIONS = 128
const BATCH_CONNECTIONS = 8

export const distributed: Part = {
  name: 'distributed',
  summary:
    'Citus compared with plain PostgreSQL on the same servers; --citus or CITUS_URL names the coordinator',
  isExtra: true,
  run: async (bench, report) => {
    const { citus } = bench.options
    if (citus === null) {
      bench.progress.say('  skipped: no Citus cluster; set its coordinator by --citus or CITUS_URL')
      report.row({ what: 'skipped', note: 'no --citus and no CITUS_URL' })
      return
    }
    const nodes = await clusterOf(bench, citus)
    const sides = {
      plain: await sideOnCluster(bench, nodes, 'plain'),
      citus: await sideOnCluster(bench, nodes, 'citus'),
    }
    const { shards } = sides.citus.distribution
    report.row({ what: `${await nodes.describe()}, ${shards} shards` })
    for (const side of Object.values(sides)) await warmUp(bench, side)
    for (const work of worksOn(bench, sides.citus)) await compareSides(bench, report, sides, work)
    for (const [name, { server }] of Object.entries(sides)) {
      report.peakMemory(name, server.takePeakMb())
      await bench.stopServer(server)
    }
  },
}

/** A load that both sides run. */
interface Work {
  /** Part of the names of its figures. */
  key: string
  name: string
  /** The counted unit, such as "an event". */
  unit: string
  turns: string
  at: (side: Side) => Promise<Done>
}

type Done = Costs & Partial<SideMeasured>

function worksOn(bench: Bench, { distribution }: Side): Work[] {
  const { measureMs, distributedTurns: turns, distributedCheckTurns, distributedOverdue } = bench.sizes
  const batches = async (side: Side, name: string, spread: Spread) => {
    const load = { label: name, connections: BATCH_CONNECTIONS, measureMs, batch: EVENTS_PER_BATCH, spread }
    return done(await submitTo(bench, side, load))
  }
  const batchWork = (key: string, name: string, spread: Spread): Work => ({
    ...{ key: `batch_${key}`, name, unit: 'an event', turns },
    at: (side) => batches(side, name, spread),
  })
  const singleWork = (key: string, connections: number): Work => {
    const name = `one event a request, ${connections} callers`
    const load = { label: name, connections, measureMs, batch: 1, spread: 'all' as const }
    return {
      ...{ key, name, unit: 'an event', turns },
      at: async (side) => done(await submitTo(bench, side, load)),
    }
  }
  return [
    batchWork('one_shard', 'batches to one shard', { shard: 0, of: distribution }),
    batchWork('shard_each', 'batches of a shard each', { eachOf: distribution }),
    batchWork('all_shards', 'batches to all shards', 'all'),
    singleWork('single', SINGLE_CONNECTIONS),
    singleWork('many_singles', MANY_CONNECTIONS),
    {
      ...{ key: 'creation', name: 'creations', unit: 'a claim', turns },
      at: async (side) =>
        done(await createAt(bench, side, { connections: SINGLE_CONNECTIONS, measureMs, label: 'creations' })),
    },
    {
      ...{ key: 'check', name: `check of ${distributedOverdue.toLocaleString('en')}`, unit: 'a transition' },
      turns: distributedCheckTurns,
      at: async (side) => {
        const { perSecond, usage } = await checkAt(bench, side, distributedOverdue)
        return costsOf(perSecond, usage)
      },
    },
  ]
}

const done = (measured: SideMeasured): Done => ({
  ...measured,
  ...costsOf(measured.perSecond, measured.usage),
})

async function compareSides(
  bench: Bench,
  report: PartReport,
  sides: Record<Side['name'], Side>,
  work: Work,
): Promise<void> {
  const turns: PairedTurn<Done>[] = []
  for (const letter of work.turns) {
    const name = letter === 'p' ? 'plain' : 'citus'
    const result = await work.at(sides[name])
    turns.push({ name, result })
    bench.progress.say(`  ${work.name}, ${name}: ${Math.round(result.perSecond).toLocaleString('en')}/s`)
  }
  const { ratio, ofACore } = ratiosOf(turns)
  for (const name of ['plain', 'citus'] as const) reportSide(report, work, name, turns, { ratio, ofACore })
  report.figure(`distributed_${work.key}_vs_plain`, ratio)
  report.figure(`distributed_${work.key}_of_a_core_vs_plain`, ofACore)
}

function reportSide(
  report: PartReport,
  { key, name: what, unit }: Work,
  name: Side['name'],
  turns: readonly PairedTurn<Done>[],
  { ratio, ofACore }: { ratio: number; ofACore: number | null },
): void {
  const results = turns.filter((turn) => turn.name === name).map(({ result }) => result)
  const costs = meanCosts(results)
  const latencies = results.flatMap(({ latency }) => (latency ? [latency] : []))
  const { perSecond, serverUs, databaseUs, perCore } = costs
  const us = (value: number | null) => (value === null ? 'unknown' : `${value.toFixed(0)} µs`)
  const cost = `${unit}: server ${us(serverUs)}, PostgreSQL ${us(databaseUs)}`
  const core = perCore === null ? '' : `; a core: ${Math.round(perCore).toLocaleString('en')}/s`
  const toPlain = name === 'citus' && ofACore !== null ? `, ratio ${ofACore.toFixed(2)}` : ''
  report.row({
    what: `${what}: ${name}`,
    perSecond,
    ...(name === 'citus' ? { ratio } : {}),
    serverCpu: serverUs === null ? null : (serverUs * perSecond) / 1e6,
    databaseCpu: databaseUs === null ? null : (databaseUs * perSecond) / 1e6,
    ...(latencies.length > 0 ? percentilesOf(...latencies) : {}),
    note: cost + core + toPlain,
    detail: results.map((result) => ({ ...result, latency: undefined })),
  })
  const figure = (suffix: string, value: number | null) =>
    report.figure(`distributed_${key}_${name}_${suffix}`, value)
  figure('per_second', perSecond)
  figure('server_us', serverUs)
  figure('postgresql_us', databaseUs)
  figure('per_core', perCore)
}
