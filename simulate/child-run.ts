import { fork } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { runTimeoutMs } from './one-run.ts'
import { argumentsOf, commandOf, type Plan } from './plan.ts'
import type { RunResult } from './report.ts'
import { workFolders } from './testbed/work-folder.ts'

const PROGRAM = fileURLToPath(new URL('./run.ts', import.meta.url))
/** Added to the time limit of the run itself. */
const EXIT_GRACE_MS = 120_000
const END_TIMEOUT_MS = 45_000
const LOG_TAIL_CHARACTERS = 2_000

/**
 * Runs a plan in a process of its own, which writes its output to `<pathPrefix>.log`. It ends with this process or with
 * the signal. Null if it ended without a result.
 */
export async function runInChild(
  plan: Plan,
  pathPrefix: string,
  signal: AbortSignal,
): Promise<RunResult | null> {
  const json = `${pathPrefix}.json`
  const log = await open(`${pathPrefix}.log`, 'w')
  // The end of the channel tells the child that this process ended.
  const child = fork(PROGRAM, [...argumentsOf(plan), '--no-shrink', '--json', json], {
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    execArgv: [],
  })
  const ended = once(child, 'exit')
  await log.close()
  let timer = setTimeout(() => child.kill('SIGKILL'), runTimeoutMs(plan) + EXIT_GRACE_MS)
  const onAbort = () => {
    child.kill('SIGTERM')
    clearTimeout(timer)
    timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const [status, killedBy] = await ended
  clearTimeout(timer)
  signal.removeEventListener('abort', onAbort)
  if (status !== 0 && status !== 1) await workFolders.removeLeftovers(tmpdir())
  const result = await readFile(json, 'utf8').catch(() => null)
  if (result !== null) return JSON.parse(result)
  if (signal.aborted) return null
  const output = (await readFile(`${pathPrefix}.log`, 'utf8')).slice(-LOG_TAIL_CHARACTERS)
  return failed(plan, `the run ended with ${status ?? killedBy} without a result: ${output}`)
}

const failed = (plan: Plan, failure: string): RunResult => ({
  plan,
  command: commandOf(plan),
  operations: 0,
  acknowledged: 0,
  unknown: 0,
  by_operation: {},
  by_answer: {},
  by_fault: {},
  seconds: 0,
  finding: null,
  failure,
})
