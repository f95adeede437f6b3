import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { CliRequest } from './cli-host.ts'
import { processScope } from './process-scope.ts'
import { childEnvironment, type Run } from './serve-process.ts'

const HOST = fileURLToPath(new URL('cli-host.ts', import.meta.url))

let host: { child: ChildProcess; ended: Promise<unknown> } | undefined
let lastRun: Promise<unknown> = Promise.resolve()

/**
 * Runs `claimkeeper …` in one process that this test process shares, one command at a time: starting a process costs ten
 * times as much as most commands. `runCli` has a process for each: for commands that do not end by themselves, or that lower
 * the priority of their process.
 */
export function runSharedCli(args: string[], settings: Record<string, string> = {}): Promise<Run> {
  const run = lastRun.then(() => sendRequest({ args, env: childEnvironment(settings) }))
  lastRun = run.catch(() => {})
  return run
}

async function sendRequest(request: CliRequest): Promise<Run> {
  host ??= startHost()
  const { child, ended } = host
  const answer = once(child, 'message') as Promise<[Run]>
  child.send(request)
  const broken = ended.then(() => Promise.reject(new Error(`the process ended at ${request.args.join(' ')}`)))
  const [run] = await Promise.race([answer, broken])
  return run
}

function startHost() {
  // Its standard output is no file: the command line writes to a file past the stream that the host captures.
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
  const child = fork(HOST, { env: childEnvironment({}), stdio: [...stdio] })
  const ended = once(child, 'exit')
  processScope.after(async () => {
    child.disconnect()
    await ended
  })
  return { child, ended }
}
