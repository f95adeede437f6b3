import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }
import type { BenchDatabase } from './bench-database.ts'
import type { Cleanup } from './cleanup.ts'
import { familyCpuMsOf, residentMbOf } from './process-figures.ts'

/** The built program. */
export const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
/** The Node options of `npm start`. */
const START_OPTIONS = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'))
const READY = /is ready on (http:\/\/\S+)/
const SAMPLE_MS = 500
const STOP_MS = 15_000
const ERROR_LEVEL = 50

export type LogLine = Record<string, unknown>

/** `claimkeeper serve` in a separate process, with its log, memory and CPU time. */
export class ServerProcess {
  readonly url: string
  readonly #child: ChildProcess
  readonly #listeners = new Set<(line: LogLine) => void>()
  #errors: string[] = []
  #peakMb: number | null = null

  private constructor(url: string, child: ChildProcess) {
    this.url = url
    this.#child = child
  }

  static async start(
    database: Pick<BenchDatabase, 'url'>,
    nodeOptions: string[],
    cleanup: Cleanup,
  ): Promise<ServerProcess> {
    const env = {
      ...process.env,
      HOST: '',
      PORT: '0',
      PUBLIC_URL: '',
      CLAIMKEEPER_RATE_LIMIT: '',
      // Receivers are on this machine.
      CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE: 'true',
      NO_COLOR: '1',
    }
    const child = spawn(process.execPath, [...START_OPTIONS, ...nodeOptions, MAIN, 'serve'], {
      env: { ...env, DATABASE_URL: database.url, CLAIMKEEPER_BOOTSTRAP_TOKEN: '', LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const url = await readyUrl(child)
    const server = new ServerProcess(url, child)
    cleanup.add(() => server.stop())
    createInterface({ input: child.stderr }).on('line', (line) => server.#handleLine(line))
    const timer = setInterval(() => server.#sample(), SAMPLE_MS).unref()
    child.once('exit', () => clearInterval(timer))
    server.#sample()
    return server
  }

  /** Peak resident memory since the last call, in MB. Null if the system does not report it. */
  takePeakMb(): number | null {
    this.#sample()
    const peak = this.#peakMb
    this.#peakMb = null
    this.#sample()
    return peak
  }

  get pid(): number {
    return this.#child.pid as number
  }

  /** CPU time including worker processes, in milliseconds. Null if the system does not report it. */
  cpuMs(): number | null {
    return familyCpuMsOf(this.#child.pid as number)
  }

  /** Log lines of level error, and lines that are not JSON, since the last call. */
  takeErrors(): string[] {
    const errors = this.#errors
    this.#errors = []
    return errors
  }

  /** Calls the listener with each log line below level error until the returned function is called. */
  onLogLine(listener: (line: LogLine) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const killing = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS)
    await exited
    clearTimeout(killing)
  }

  #handleLine(text: string): void {
    const line = parseLine(text)
    if (line === null || Number(line.level) >= ERROR_LEVEL) this.#errors.push(text)
    else for (const listener of this.#listeners) listener(line)
  }

  #sample(): void {
    const mb = residentMbOf(this.#child.pid as number)
    if (mb !== null) this.#peakMb = Math.max(this.#peakMb ?? 0, mb)
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  let output = ''
  const append = (chunk: Buffer) => {
    output += chunk
  }
  child.stderr?.on('data', append)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      append(chunk)
      const url = READY.exec(output)?.[1]
      if (url) resolve(url)
    })
    child.once('exit', () => reject(new Error(`the server ended before it was ready:\n${output}`)))
  })
  child.stderr?.off('data', append)
  return url
}

function parseLine(text: string): LogLine | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
