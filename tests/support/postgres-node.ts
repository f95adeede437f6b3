import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { findFreePort } from '../../src/platform/database/embedded/start-server.ts'
import { eventually } from './eventually.ts'
import { makeNode, type Programs } from './make-node.ts'
import { serverProcesses, signalEach } from './signal-each.ts'
import { spawnAs } from './source/embedded.ts'

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
`

/** A PostgreSQL server of its own, whose process can be killed. */
export class PostgresNode {
  readonly url: string
  readonly port: number
  readonly #programs: Programs
  readonly #folder: string
  #child: ChildProcess | null = null

  private constructor(programs: Programs, folder: string, port: number) {
    this.#programs = programs
    this.#folder = folder
    this.port = port
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`
  }

  static async create(
    programs: Programs,
    folder: string,
    settings: string,
    locale?: readonly string[],
  ): Promise<PostgresNode> {
    const port = await findFreePort(undefined)
    const own = `${SETTINGS}port = ${port}\n`
    await makeNode(programs, folder, { access: ['--auth=trust'], settings: `${own}${settings}`, locale })
    const node = new PostgresNode(programs, folder, port)
    try {
      await node.start()
    } catch (error) {
      await node.end('SIGQUIT')
      throw error
    }
    return node
  }

  /** After a SIGKILL the children may outlive their postmaster for a moment. Until then a new postmaster exits at once. */
  async start(): Promise<void> {
    const { binaries, runAs } = this.#programs
    await eventually(
      () => {
        if (!this.#isRunning())
          this.#child = spawnAs(runAs, binaries.postgres, ['-D', this.#folder], { cwd: '/', stdio: 'ignore' })
        return this.sql('SELECT 1').catch(() => null)
      },
      { seconds: 60 },
    )
  }

  #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** SIGINT shuts down cleanly. SIGKILL and SIGQUIT act like a crash. */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    if (!this.#isRunning()) return
    const child = this.#child as ChildProcess
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** Stops responding without closing connections, like a machine without a network. Returns a function that ends it. */
  async silence(): Promise<() => void> {
    const postmaster = this.#child?.pid as number
    // First the postmaster, which would create others.
    process.kill(postmaster, 'SIGSTOP')
    const pids = await serverProcesses(postmaster)
    signalEach(pids, 'SIGSTOP')
    return () => signalEach(pids, 'SIGCONT')
  }

  /** Runs SQL as the superuser in this database. */
  async sql(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url.replace(/postgres$/, database) })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
}
