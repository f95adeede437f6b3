import { Bench, type BenchOptions } from './bench.ts'
import { describeEnvironment, describeMachine, describeVersions, introduction, isBusy } from './machine.ts'
import { type Part, PartReport } from './part.ts'
import {
  figuresTable,
  flatFigures,
  measurementsTable,
  type PartResult,
  writeJson,
  writeLatest,
} from './results.ts'
import type { Sizes } from './sizes.ts'

/** Maximum duration of a run. A run that hangs is ended then. */
const MAX_RUN_MS = 90 * 60_000
const SHORT_WAIT_MS = 15_000

/** Runs the parts one after the other and prints their results. Returns the exit status. */
export async function runParts(
  parts: readonly Part[],
  options: BenchOptions & { name: string; json: string | null },
): Promise<number> {
  const bench = new Bench(options)
  endOnSignals(bench)
  const startedAt = new Date()
  const machine = describeMachine()
  if (isBusy(machine)) {
    bench.progress.say(
      `the machine is busy (load average ${machine.load_average_at_start[0]}): expect poor figures`,
    )
  }
  if (bench.sizes.hasYardstick && !bench.pgbench) {
    bench.progress.say(
      'pgbench is missing (Debian: postgresql-contrib or postgresql): no ratios to it, only absolute figures',
    )
  }
  const results = await runAll(bench, parts)
  const figures = flatFigures(results)
  const description = await describe(bench)
  await bench.cleanup.run()
  bench.progress.end()

  console.log(measurementsTable(results))
  for (const text of results.flatMap(({ texts }) => texts)) console.log(text)
  console.log(figuresTable(figures))
  console.log(introduction(machine, description.versions))
  const run = {
    sizes: options.name,
    started_at: startedAt,
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
  }
  const written = await writeLatest({ run, machine, ...description, figures, parts: results })
  console.log(`All of it: ${written}`)
  if (options.json) await writeJson(options.json, figures)
  return results.some(({ error }) => error !== null) ? 1 : 0
}

async function runAll(bench: Bench, parts: readonly Part[]): Promise<PartResult[]> {
  const results = new Map<Part, PartResult>()
  while (results.size < parts.length) {
    const left = parts.filter((part) => !results.has(part))
    const part = results.size === 0 ? (left[0] as Part) : nextOf(left, bench.sizes)
    results.set(part, await runPart(bench, part))
  }
  return parts.map((part) => results.get(part) as PartResult)
}

/** The next part in order. A part that would wait long runs later: when it would wait less than SHORT_WAIT_MS, or last. */
function nextOf(left: readonly Part[], sizes: Sizes): Part {
  const ripe = left.find(({ idleMs }) => idleMs && idleMs(sizes) < SHORT_WAIT_MS)
  return ripe ?? left.find(({ idleMs }) => !idleMs) ?? (left[0] as Part)
}

async function runPart(bench: Bench, part: Part): Promise<PartResult> {
  const startedAt = performance.now()
  const report = new PartReport(part.name, (line) => bench.progress.say(line))
  bench.progress.say(`${part.name}: ${part.summary}`)
  let error: string | null = null
  try {
    await part.run(bench, report)
  } catch (thrown) {
    // An error while the run is being stopped is not a result. The process is about to exit.
    if (bench.isStopping) return new Promise(() => {})
    error = thrown instanceof Error ? thrown.message : String(thrown)
    bench.progress.say(`${part.name} FAILED: ${thrown instanceof Error ? thrown.stack : error}`)
  }
  const peakMb = bench.takePeakMb()
  if (peakMb !== undefined) report.peakMemory('server', peakMb)
  const [firstError, ...others] = bench.takeServerErrors()
  if (firstError) error ??= `the server logged ${others.length + 1} errors; the first: ${firstError}`
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { name: part.name, seconds, error, figures: report.figures, rows: report.rows, texts: report.texts }
}

async function describe(bench: Bench) {
  const cluster = bench.hasCluster ? await bench.cluster() : null
  return {
    versions: describeVersions(cluster ? await cluster.version() : null, bench.pgbench),
    postgresql_settings: cluster ? await cluster.settings() : null,
    service_environment: describeEnvironment(),
    sizes: bench.sizes,
  }
}

/** Ctrl-C in a terminal arrives twice, because npm forwards it as well. So further signals are ignored. */
function endOnSignals(bench: Bench): void {
  const end = (reason: string, status: number) => {
    if (bench.isStopping) return
    bench.isStopping = true
    bench.progress.say(`${reason}: stopping the server and the database, removing the temporary data`)
    void bench.cleanup.run().then(() => process.exit(status))
  }
  process.on('SIGINT', () => end('SIGINT', 130))
  process.on('SIGTERM', () => end('SIGTERM', 143))
  process.on('SIGHUP', () => end('SIGHUP', 129))
  // An error of a closed pipe or terminal must not prevent the clean-up.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => end('no reader', 1))
  setTimeout(() => end('after an hour and a half', 1), MAX_RUN_MS).unref()
}
