import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Cleanup } from './cleanup.ts'
import { Histogram } from './load/histogram.ts'
import type { Measured } from './measured.ts'

export interface Pgbench {
  program: string
  version: string
}

const THREADS = 2

/** Looks on the PATH, then for the newest version in Debian's folders. Null if there is none. */
export function findPgbench(): Pgbench | null {
  const versions = globSync('/usr/lib/postgresql/*/bin/pgbench').sort((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  )
  for (const program of ['pgbench', ...versions]) {
    try {
      const output = execFileSync(program, ['--version'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      return { program, version: output.replace(/^pgbench \(PostgreSQL\) /, '').trim() }
    } catch {
      // Not at this path.
    }
  }
  return null
}

export interface PgbenchRun {
  databaseUrl: string
  folder: string
  /** One transaction as a pgbench script. */
  script: string
  clients: number
  warmupMs: number
  measureMs: number
}

/** Runs one transaction repeatedly. Transactions of the warm-up are not counted. */
export async function runPgbench(pgbench: Pgbench, run: PgbenchRun, cleanup: Cleanup): Promise<Measured> {
  const folder = await mkdtemp(join(run.folder, 'pgbench-'))
  try {
    const script = join(folder, 'transaction.sql')
    await writeFile(script, run.script)
    const seconds = Math.floor((run.warmupMs + run.measureMs) / 1000) + 1
    await execute(pgbench.program, argumentsOf(run, script, seconds, folder), run, cleanup)
    return await readLogs(folder, run)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function argumentsOf({ clients }: PgbenchRun, script: string, seconds: number, folder: string): string[] {
  const threads = Math.min(THREADS, clients)
  return [
    ...['-n', '-M', 'prepared', '-c', `${clients}`, '-j', `${threads}`, '-T', `${seconds}`],
    ...['-f', script, '-l', `--log-prefix=${join(folder, 'log')}`],
  ]
}

async function execute(program: string, args: string[], run: PgbenchRun, cleanup: Cleanup): Promise<void> {
  const url = new URL(run.databaseUrl)
  const child = spawn(program, args, {
    env: {
      ...process.env,
      PGHOST: url.hostname,
      PGPORT: url.port,
      PGUSER: url.username,
      PGPASSWORD: url.password,
      PGDATABASE: url.pathname.slice(1),
      PGOPTIONS: '',
      PGSSLMODE: 'disable',
      PGGSSENCMODE: 'disable',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const removeCleanup = cleanup.add(() => void child.kill())
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [status] = await once(child, 'close')
  removeCleanup()
  if (status !== 0) throw new Error(`pgbench ended with ${status}: ${stderr.trim()}`)
}

/** Fields of a log line: client, transaction, duration in microseconds, script, end time in seconds and in microseconds. */
async function readLogs(folder: string, { warmupMs, measureMs }: PgbenchRun): Promise<Measured> {
  const transactions: { endedAt: number; ms: number }[] = []
  for (const path of globSync(join(folder, 'log*'))) {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const [, , took, , seconds, microseconds] = line.split(' ')
      transactions.push({
        endedAt: Number(seconds) * 1000 + Number(microseconds) / 1000,
        ms: Number(took) / 1000,
      })
    }
  }
  const first = transactions.reduce(
    (least, { endedAt }) => Math.min(least, endedAt),
    Number.POSITIVE_INFINITY,
  )
  const from = first + warmupMs
  const latency = new Histogram()
  for (const { endedAt, ms } of transactions) {
    if (endedAt >= from && endedAt < from + measureMs) latency.record(ms)
  }
  return {
    perSecond: (latency.count * 1000) / measureMs,
    latency: latency.toData(),
    clientCpu: null,
    serverCpu: null,
    databaseCpu: null,
  }
}
