import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { copyNewCluster } from './new-cluster.ts'
import { destroyEmbeddedDatabase, openEmbeddedDatabase } from './source/embedded.ts'
import { OperatorError } from './source/errors.ts'

const HOLDER = fileURLToPath(new URL('embedded-holder.ts', import.meta.url))

/** The path of a new data folder. The folder and its server are removed after the test. */
export async function newDataDir(t: TestContext, parentMode = 0o755): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'claimkeeper embedded-'))
  await chmod(parent, parentMode)
  t.after(async () => {
    await destroyEmbeddedDatabase(join(parent, 'data'))
    await rm(parent, { recursive: true, force: true })
  })
  return join(parent, 'data')
}

/** A data folder with a cluster on which no server has run. */
export async function madeDataDir(t: TestContext): Promise<string> {
  const dataDir = await newDataDir(t)
  await copyNewCluster(dataDir)
  return dataDir
}

/** Opens the database in this process and collects the reports. */
export async function openHere(dataDir: string, role: 'service' | 'command' = 'command') {
  const reported: string[] = []
  const database = await openEmbeddedDatabase({ dataDir, role, report: (step) => reported.push(step) })
  return { ...database, reported }
}

/** Opens the database in another process, with a hostile environment if given. */
export async function openElsewhere(
  t: TestContext,
  dataDir: string,
  role: 'service' | 'command',
  environment: Record<string, string> = {},
) {
  const child = spawn(process.execPath, [HOLDER, dataDir, role], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  t.after(() => end(child, () => child.kill('SIGKILL')))
  const [connectionString] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the holder ended too early'))),
  ])) as [string]
  return {
    connectionString,
    kill: () => end(child, () => child.kill('SIGKILL')),
    release: () => end(child, () => child.stdin.end()),
  }
}

async function end(child: ChildProcess, how: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  how()
  await ended
}

/** The process id in the cluster's postmaster.pid. */
export async function postmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

/** Runs one query on a connection of its own. Returns the rows. */
export async function queryOn(connectionString: string, query: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(query)).rows
  } finally {
    await client.end()
  }
}

export async function isRunning(pid: number): Promise<boolean> {
  const state = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => undefined)
  // A zombie (Z) does not run.
  return state !== undefined && !state.stdout.startsWith('Z')
}

/** Whether an error is an OperatorError with one line that matches the pattern. */
export function oneLine(pattern: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof OperatorError && pattern.test(error.message) && !error.message.includes('\n')
}
