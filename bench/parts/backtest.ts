import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BACKTEST_CONTRACT, writeEventLog } from '../backtest/event-log.ts'
import { measureScript, type ScriptCost } from '../backtest/measure-script.ts'
import type { Bench } from '../bench.ts'
import { median } from '../measured.ts'
import type { Part, PartReport } from '../part.ts'
import { workFolders } from '../work-folder.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const PARSE_ONLY = fileURLToPath(new URL('../backtest/parse-only.ts', import.meta.url))

export const backtest: Part = {
  name: 'backtest',
  summary: '`claimkeeper backtest` over a log, compared with parsing the same file by csv-parse',
  run: async (bench, report) => {
    const folder = await workFolders.make(bench.options.folder, bench.cleanup)
    const contract = join(folder, 'contract.json')
    await writeFile(contract, JSON.stringify(BACKTEST_CONTRACT))
    for (const isSorted of [true, false]) await overLog(bench, report, folder, contract, isSorted)
  },
}

async function overLog(
  bench: Bench,
  report: PartReport,
  folder: string,
  contract: string,
  isSorted: boolean,
): Promise<void> {
  const { backtestEvents: events, backtestRounds } = bench.sizes
  const rounds = isSorted ? backtestRounds : 1
  const order = isSorted ? 'sorted by case' : 'not sorted by case'
  const log = join(folder, 'log.csv')
  bench.progress.doing(`writing a log of ${events.toLocaleString('en')} events`)
  await writeEventLog(log, events, isSorted)
  const [parsed, tested]: [ScriptCost[], ScriptCost[]] = [[], []]
  for (let round = 1; round <= rounds; round++) {
    bench.progress.doing(`backtest, ${order}, round ${round} of ${rounds}`)
    parsed.push(await measureScript([PARSE_ONLY, log], bench.cleanup))
    tested.push(await measureScript([MAIN, 'backtest', '--log', log, '--contract', contract], bench.cleanup))
  }
  const ratioOf = (of: (cost: ScriptCost) => number) =>
    median(parsed.map((cost, i) => of(cost) / of(tested[i] as ScriptCost)))
  const ratio = ratioOf(({ seconds }) => seconds)
  reportCosts(report, `backtest, ${order}`, tested, events, ratio)
  reportCosts(report, 'csv-parse', parsed, events)
  const suffix = isSorted ? '' : '_unsorted'
  report.figure(`backtest_vs_csv_parse${suffix}`, ratio)
  report.figure(
    `backtest_vs_csv_parse_by_cpu${suffix}`,
    ratioOf(({ cpuSeconds }) => cpuSeconds),
  )
  report.figure(`backtest_peak_mb${suffix}`, median(tested.map(({ megabytes }) => megabytes)))
}

function reportCosts(
  report: PartReport,
  what: string,
  costs: ScriptCost[],
  events: number,
  ratio?: number,
): void {
  report.row({
    what,
    perSecond: events / median(costs.map(({ seconds }) => seconds)),
    ...(ratio === undefined ? {} : { ratio }),
    note: `peak ${Math.round(median(costs.map(({ megabytes }) => megabytes)))} MB`,
  })
}
