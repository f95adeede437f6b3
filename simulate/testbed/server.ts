import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../../bench/cleanup.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { FaultProxy } from '../../tests/support/fault-proxy.ts'
import { removeStaleSharedMemory } from './clock.ts'
import { isKilledWorkerLog, isMissingContract, isServerError, isWarning } from './server-errors.ts'
import type { ServerProxy } from './server-proxy.ts'

/** The options of Node in `npm start`. */
const START_OPTIONS = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'))
const READY = /is ready on http:\/\/\S+?:(\d+)/
const RETRY_MS = 200
const START_TIMEOUT_MS = 90_000
const STOP_TIMEOUT_MS = 20_000
const LAST_LINES = 20

interface ServerOptions {
  number: number
  /** Whether the database is a Citus cluster. */
  isOnCitus: boolean
  /** The script that is run with `serve`. */
  program: string
  /** The proxy in front of the server. Its address is the server's. */
  serverProxy: ServerProxy
  /** The proxy between the server and the database. */
  proxy: FaultProxy
  environment: Record<string, string>
  reportError: (line: string) => void
  log: (line: string) => void
}

/** `claimkeeper serve` in a process of its own, which is restarted whenever it ends. */
export class Server {
  readonly serverProxy: ServerProxy
  readonly proxy: FaultProxy
  readonly name: string
  readonly #options: ServerOptions
  /** The last output of all of its processes. */
  readonly #lastLines: string[] = []
  #child: ChildProcess | null = null
  #starting: Promise<void> | null = null
  #workersKilled = 0
  /** The end was requested. */
  #isEnding = false
  #isClosed = false

  constructor(options: ServerOptions, cleanup: Cleanup) {
    this.#options = options
    this.serverProxy = options.serverProxy
    this.proxy = options.proxy
    this.name = `server ${options.number}`
    cleanup.add(() => this.#close())
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** Its worker processes, if the system lists them. Empty without workers. */
  get workers(): number[] {
    try {
      const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')
      return children.split(' ').filter(Boolean).map(Number)
    } catch {
      return []
    }
  }

  /** Returns false if the worker has ended. */
  killWorker(pid: number): boolean {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      return false
    }
    this.#workersKilled++
    return true
  }

  get lastLines(): readonly string[] {
    return this.#lastLines
  }

  /** Starts the server, and retries while it ends before it is ready, because the database may be unavailable. */
  start(): Promise<void> {
    this.#isEnding = false
    this.#starting ??= this.#startUntilReady().finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  async #startUntilReady(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS
    while (!this.#isClosed && !this.#isEnding && this.#child === null) {
      if (await this.#launch()) return
      if (performance.now() > deadline) {
        this.#options.reportError(`${this.name} did not become ready in ${START_TIMEOUT_MS / 1000} s`)
        return
      }
      await pause(RETRY_MS)
    }
  }

  /** Ends the server and waits for its end. Returns whether it ran. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<boolean> {
    const child = this.#child
    this.#isEnding = true
    if (child === null) return false
    const ended = once(child, 'exit')
    child.kill(signal)
    const late = setTimeout(() => {
      this.#options.reportError(`${this.name} did not stop in ${STOP_TIMEOUT_MS / 1000} s`)
      child.kill('SIGKILL')
    }, STOP_TIMEOUT_MS)
    await ended
    clearTimeout(late)
    return true
  }

  /** True when it is ready, false if it ended before. */
  async #launch(): Promise<boolean> {
    const { program, proxy, environment } = this.#options
    removeStaleSharedMemory()
    const child = spawn(process.execPath, [...START_OPTIONS, program, 'serve'], {
      env: { ...serverEnvironment(), DATABASE_URL: proxy.url, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    const ended = once(child, 'exit')
    void ended.then(([status, signal]) => this.#onEnd(child, status ?? signal))
    createInterface({ input: child.stderr }).on('line', (line) => this.#onLogLine(line))
    const ready = new Promise<boolean>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        this.#addToTail(line)
        const port = READY.exec(line)?.[1]
        if (port === undefined || this.#child !== child) return
        this.serverProxy.port = Number(port)
        resolve(true)
      })
    })
    const late = setTimeout(() => {
      this.#options.reportError(`${this.name} neither became ready nor ended in ${START_TIMEOUT_MS / 1000} s`)
      child.kill('SIGKILL')
    }, START_TIMEOUT_MS)
    return await Promise.race([ready, ended.then(() => false)]).finally(() => clearTimeout(late))
  }

  #addToTail(line: string): void {
    this.#lastLines.push(line)
    if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift()
  }

  #onLogLine(line: string): void {
    this.#addToTail(line)
    if (this.#workersKilled > 0 && isKilledWorkerLog(line)) this.#workersKilled--
    else if (isServerError(line) && !(this.#options.isOnCitus && isMissingContract(line)))
      this.#options.reportError(`${this.name}: ${line}`)
    else if (isWarning(line)) this.#options.log(`${this.name}: ${line}`)
  }

  #onEnd(child: ChildProcess, how: number | string): void {
    if (this.#child !== child) return
    this.#child = null
    const wasReady = this.serverProxy.port !== null
    this.serverProxy.port = null
    if (this.#isEnding || this.#isClosed || !wasReady) return
    this.#options.reportError(`${this.name} ended by itself: ${how}`)
    // A failed start is reported as a server error.
    void this.start()
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    await this.end('SIGTERM')
  }
}

/** The environment without variables that would change the server's settings. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env
  const settings = { HOST: '', PORT: '0', PUBLIC_URL: '', CLAIMKEEPER_RATE_LIMIT: '', LOG_LEVEL: 'info' }
  return { ...rest, ...settings, CLAIMKEEPER_BOOTSTRAP_TOKEN: '', NO_COLOR: '1' }
}

export const BUILT = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
