import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInChild } from './child-run.ts'
import { chooseFaults } from './choose-faults.ts'
import { exitStatusOf } from './one-run.ts'
import type { Plan } from './plan.ts'
import { seeded } from './random.ts'
import { formatTotals, injectedIn, type RunResult } from './report.ts'
import { findingKindOf, shrink } from './shrink.ts'

export const MAX_SEED = 2 ** 31

export interface ManyOptions {
  /** Of each run. The seeds of the runs are drawn from its seed. */
  plan: Omit<Plan, 'servers'>
  runs: number
  /** Continues with more runs until this number of operations. */
  operations: number
  jobs: number
  /** Numbers of servers, used in turn. */
  servers: readonly number[]
  /** Output of each run while it runs. Kept if the run has a finding. */
  folder: string
  json: string | null
  keepGoing: boolean
  shrinkMs: number
  log: (line: string) => void
}

/** Runs plans from one seed one after the other, several in parallel, and reports the results. Returns the exit status. */
export async function runMany(options: ManyOptions): Promise<number> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  await mkdir(options.folder, { recursive: true })
  const runs = new Runs(options, stopped)
  await Promise.all(Array.from({ length: options.jobs }, () => runs.work()))
  return runs.summarize()
}

class Runs {
  readonly #options: ManyOptions
  readonly #stopped: AbortController
  readonly #results: RunResult[] = []
  readonly #kinds = new Set<string>()
  readonly #startedAt = performance.now()
  #started = 0
  #writing: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: ManyOptions, stopped: AbortController) {
    this.#options = options
    this.#stopped = stopped
  }

  /** Starts runs one after the other until the limit is reached. */
  async work(): Promise<void> {
    const { runs, operations, keepGoing } = this.#options
    while (!this.#stopped.signal.aborted && !this.#isStopped) {
      if (this.#started >= runs && this.#sum('operations') >= operations) return
      const number = ++this.#started
      const result = await this.#run(number)
      if (result === null) return
      await this.#recordResult(result, number)
      if (exitStatusOf(result) !== 0 && !keepGoing) this.#isStopped = true
    }
  }

  async #run(number: number): Promise<RunResult | null> {
    const { plan, servers } = this.#options
    const seed = seeded(plan.seed).fork(`run ${number}`).int(0, MAX_SEED)
    const runPlan = { ...plan, seed, servers: servers[(number - 1) % servers.length] as number }
    return await runInChild(runPlan, this.#pathPrefixOf(number), this.#stopped.signal)
  }

  #pathPrefixOf = (number: number) => join(this.#options.folder, `run-${`${number}`.padStart(4, '0')}`)

  async #recordResult(result: RunResult, number: number): Promise<void> {
    const { log, json, folder, plan } = this.#options
    this.#results.push(result)
    const seconds = (performance.now() - this.#startedAt) / 1000
    const [all, faultCount] = [this.#sum('operations'), sum(Object.values(result.by_fault))]
    log(
      `${number}: seed ${result.plan.seed}, ${result.plan.servers} servers: ${result.operations} operations, ${result.acknowledged} acknowledged, ${result.unknown} unknown, ${faultCount} faults in ${Math.round(result.seconds)} s; ${all} in all, ${Math.round(all / seconds)}/s`,
    )
    const pathPrefix = this.#pathPrefixOf(number)
    if (exitStatusOf(result) === 0)
      for (const end of ['log', 'json']) await rm(`${pathPrefix}.${end}`, { force: true })
    else
      log(
        `${result.finding ? 'FINDING' : 'ERROR'}: ${messageOf(result)}\n  ${result.command}\n  ${pathPrefix}.log`,
      )
    const path = json ?? join(folder, 'runs.json')
    const text = () =>
      `${JSON.stringify({ seed: plan.seed, ...this.#figures(), runs: this.#results }, null, 1)}\n`
    this.#writing = this.#writing.then(() => replaceFile(path, text()))
    await this.#writing
    await this.#shrink(result, pathPrefix)
  }

  /** Shrinks the first finding of each kind. */
  async #shrink(result: RunResult, pathPrefix: string): Promise<void> {
    const { shrinkMs, log } = this.#options
    if (!result.finding || shrinkMs === 0 || this.#kinds.has(findingKindOf(result))) return
    this.#kinds.add(findingKindOf(result))
    log(await shrink(result, shrinkMs, pathPrefix, this.#stopped.signal, log))
  }

  summarize(): number {
    const results = this.#results
    console.log(formatTotals(results))
    const figures = this.#figures()
    console.log(
      `${figures.finished} runs from seed ${this.#options.plan.seed}: ${figures.operations} operations, ${figures.acknowledged} events acknowledged, ${figures.unknown} unknown, in ${figures.seconds} s.`,
    )
    for (const result of results.filter((result) => exitStatusOf(result) !== 0)) {
      console.log(`${result.finding ? 'FINDING' : 'ERROR'}: ${messageOf(result)}\n  Again: ${result.command}`)
    }
    const neverInjected = this.#neverInjected()
    if (neverInjected.length > 0) console.log(`Never injected: ${neverInjected.join(', ')}.`)
    if (this.#stopped.signal.aborted) console.log('Stopped before the end.')
    if (results.some(({ finding }) => finding !== null)) return 1
    if (results.some(({ failure }) => failure !== null) || this.#stopped.signal.aborted) return 2
    if (neverInjected.length > 0) return 2
    console.log('No finding.')
    return 0
  }

  /** The faults that were never injected: they have tested nothing. */
  #neverInjected(): string[] {
    const injected = injectedIn(this.#results)
    const faults = chooseFaults(this.#options.plan, () => {})
    return faults.map(({ name }) => name).filter((name) => !injected.get(name))
  }

  #figures() {
    return {
      finished: this.#results.length,
      seconds: Math.round((performance.now() - this.#startedAt) / 1000),
      operations: this.#sum('operations'),
      acknowledged: this.#sum('acknowledged'),
      unknown: this.#sum('unknown'),
      by_fault: Object.fromEntries(injectedIn(this.#results)),
      findings: this.#results.filter(({ finding }) => finding !== null).length,
      failures: this.#results.filter(({ failure }) => failure !== null).length,
    }
  }

  #sum = (field: 'operations' | 'acknowledged' | 'unknown') =>
    sum(this.#results.map((result) => result[field]))
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

const messageOf = ({ finding, failure }: RunResult) => finding?.message ?? failure ?? ''

/** Replaces the file atomically. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}
