import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isOnCitus, nodesOfRun } from './database-nodes.ts'
import type { Scope } from './test-database.ts'

/** The built service. `tests/support/global-setup.ts` builds it if the source has changed. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const READY = /is ready on (http:\/\/\S+)/
const TOKEN = /ck_[A-Za-z0-9_-]{43}/

export interface Run {
  stdout: string
  stderr: string
  /** Exit status. Null after a signal. */
  status: number | null
}

/** The environment of a child process, without the settings of the tests. */
export function childEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, DATABASE_URL: __, ...rest } = process.env
  const own = { HOST: '', PORT: '0', CLAIMKEEPER_BOOTSTRAP_TOKEN: '', NO_COLOR: '1' }
  const isOurs = isOnRun(settings)
  // Only the run's server may lose acknowledged data.
  const unsafe = isOurs ? {} : { CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: '' }
  return { ...rest, ...own, ...unsafe, CLAIMKEEPER_DISTRIBUTE: `${isOurs && isOnCitus()}`, ...settings }
}

/** Whether the database is on the server or cluster of this run. */
const isOnRun = ({ DATABASE_URL: url = '' }: Record<string, string>): boolean =>
  URL.parse(url)?.host === URL.parse(nodesOfRun()[0] ?? '')?.host

/** Runs `claimkeeper …` to its end, of this version or of the one with this main file. */
export function runCli(args: string[], settings: Record<string, string>, main = MAIN): Promise<Run> {
  return runNode([main, ...args], settings)
}

/** Milliseconds after which a program is killed: its test fails, and other tests continue. */
const TIMEOUT_MS = 180_000

/** Runs a script to its end. */
export async function runNode(args: string[], settings: Record<string, string>): Promise<Run> {
  const env = childEnvironment(settings)
  const child = spawn(process.execPath, args, { env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' })
  const run = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    run.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    run.stderr += chunk
  })
  const [status] = await once(child, 'close')
  return { ...run, status }
}

export interface CliProcess {
  stdout: () => string
  stderr: () => string
  /** Sends the signal and waits for the end. Returns the status, null after a signal. */
  end: (signal: NodeJS.Signals) => Promise<number | null>
  /** Waits for the end. */
  ended: () => Promise<number | null>
}

/** Starts `claimkeeper …`, which ends with the scope at the latest. */
export function startCli(t: Scope, args: string[], settings: Record<string, string>): CliProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: childEnvironment(settings),
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const run = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      run[name] += chunk
    })
  }
  const closed = once(child, 'close')
  const ended = async () => (await closed)[0] as number | null
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return {
    stdout: () => run.stdout,
    stderr: () => run.stderr,
    end: (signal) => {
      child.kill(signal)
      return ended()
    },
    ended,
  }
}

/**
 * Starts `claimkeeper …`, sends the signal when it has printed the text or when the promise resolves, and returns the
 * output.
 */
export async function runUntil(
  moment: string | Promise<unknown>,
  signal: NodeJS.Signals,
  settings: Record<string, string>,
  command = 'serve',
) {
  const child = spawn(process.execPath, [MAIN, command], {
    env: childEnvironment(settings),
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  let output = ''
  const onData = (chunk: Buffer) => {
    output += chunk
    if (typeof moment === 'string' && output.includes(moment)) child.kill(signal)
  }
  child.stdout.on('data', onData)
  child.stderr.on('data', onData)
  const closed = once(child, 'close') as Promise<[number | null]>
  if (typeof moment !== 'string') await moment.then(() => child.kill(signal))
  const [status] = await closed
  return { status, output, token: TOKEN.exec(output)?.[0] ?? null }
}

export interface ServeProcess {
  url: string
  /** Token of the first account, if this start created it. */
  token: string | null
  child: ChildProcess
  output: () => string
  /** Sends the signal and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<number | null>
  /** Waits for the end. Returns the status. */
  ended: () => Promise<number | null>
}

/** Starts a real `claimkeeper serve` and waits until it is ready. It ends with the scope. */
export async function startServeProcess(
  t: Scope,
  settings: Record<string, string>,
  main = MAIN,
  stderr: 'pipe' | number = 'pipe',
): Promise<ServeProcess> {
  const stdio = ['ignore', 'pipe', stderr] as const
  const child = spawn(process.execPath, [main, 'serve'], {
    env: childEnvironment(settings),
    stdio: [...stdio],
  })
  const ended = once(child, 'close')
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    return (await ended)[0]
  }
  t.after(async () => void (await end('SIGTERM')))

  let output = ''
  const ready = new Promise<string>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk
      const url = READY.exec(output)?.[1]
      if (url && output.includes('\n\n', output.indexOf(url))) resolve(url)
    }
    child.stdout?.on('data', onData)
    child.stderr?.on('data', onData)
    ended.then(() => reject(new Error(`serve ended before it was ready:\n${output}`)))
  })
  return {
    url: await ready,
    token: TOKEN.exec(output)?.[0] ?? null,
    child,
    output: () => output,
    end,
    ended: async () => (await ended)[0],
  }
}
