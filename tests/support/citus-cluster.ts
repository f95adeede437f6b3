import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findFreePort } from '../../src/storage/embedded/machine/free-port.ts'
import { spawnAs } from '../../src/storage/embedded/machine/run-as.ts'
import { joinNodes, onEachNode, urlOfDatabase } from './database-nodes.ts'
import { eventually } from './eventually.ts'
import { type CitusPrograms, findPrograms, makeCitusNode } from './make-citus-node.ts'

/** Where Debian and Red Hat put PostgreSQL's versions. */
const PLACES = ['/usr/lib/postgresql', '/usr']

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
citus.shard_count = 8
citus.node_connection_timeout = '3s'
`

/** The folder of PostgreSQL's programs that have Citus beside them; null if there is none on this machine. */
export function findCitus(): string | null {
  const folders = PLACES.filter(existsSync).flatMap((place) =>
    readdirSync(place).map((name) => join(place, name)),
  )
  const found = folders.find((folder) => existsSync(join(folder, 'lib', 'citus.so')))
  return found === undefined ? null : join(found, 'bin')
}

/** A PostgreSQL server with Citus, whose process can be killed. */
export class CitusNode {
  readonly url: string
  readonly port: number
  readonly #programs: CitusPrograms
  readonly #folder: string
  #child: ChildProcess | null = null

  private constructor(programs: CitusPrograms, folder: string, port: number) {
    this.#programs = programs
    this.#folder = folder
    this.port = port
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`
  }

  static async create(programs: CitusPrograms, folder: string): Promise<CitusNode> {
    const port = await findFreePort(undefined)
    const settings = `${SETTINGS}port = ${port}\n`
    await makeCitusNode(programs, folder, { access: ['--auth=trust'], settings })
    const node = new CitusNode(programs, folder, port)
    await node.start()
    return node
  }

  /** After a SIGKILL the children may outlive their postmaster by a moment; until then a new one ends at once. */
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

  /** SIGINT stops it in good order, SIGKILL and SIGQUIT as in a crash. */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    if (!this.#isRunning()) return
    const child = this.#child as ChildProcess
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** It answers no more, and refuses nothing: as a machine whose cable was pulled. Returns what brings it back. */
  async silence(): Promise<() => void> {
    const postmaster = this.#child?.pid as number
    // First what would make others.
    process.kill(postmaster, 'SIGSTOP')
    const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
    const pids = [postmaster, ...children.trim().split(' ').map(Number)]
    const signalEach = (signal: 'SIGSTOP' | 'SIGCONT') => {
      for (const pid of pids) process.kill(pid, signal)
    }
    signalEach('SIGSTOP')
    return () => signalEach('SIGCONT')
  }

  /** Runs SQL as the superuser, in this database. */
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

/** A coordinator and its workers on this machine, in a folder that goes with them. */
export interface CitusCluster {
  coordinator: CitusNode
  workers: CitusNode[]
  /** The address of a new database on all of them, known to each other in it. */
  createDatabase: (name: string) => Promise<string>
  /** Another machine, known to the coordinator in this database, without shards. */
  addWorker: (database: string) => Promise<CitusNode>
  stop: () => Promise<void>
}

export async function startCitusCluster(bin: string, workerCount = 2): Promise<CitusCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-citus-'))
  await chmod(folder, 0o755)
  const programs = await findPrograms(bin)
  const nodes: CitusNode[] = []
  const addNode = async () => {
    const node = await CitusNode.create(programs, join(folder, `node-${nodes.length}`))
    nodes.push(node)
    return node
  }
  const coordinator = await addNode()
  const workers: CitusNode[] = []
  for (let n = 0; n < workerCount; n++) workers.push(await addNode())
  return {
    coordinator,
    workers,
    addWorker: async (database) => {
      const node = await addNode()
      await node.sql(`CREATE DATABASE ${database}`)
      await node.sql('CREATE EXTENSION citus', database)
      await coordinator.sql(`SELECT citus_add_node('127.0.0.1', ${node.port})`, database)
      return node
    },
    createDatabase: async (name) => {
      const urls = nodes.map(({ url }) => url)
      await onEachNode(urls, (client) => client.query(`CREATE DATABASE ${name}`))
      await joinNodes(urls, name)
      return urlOfDatabase(coordinator.url, name)
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.end('SIGINT')))
      await rm(folder, { recursive: true })
    },
  }
}
