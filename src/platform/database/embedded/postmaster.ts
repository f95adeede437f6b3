import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { OperatorError } from '../../../kernel/operator-error.ts'

/** What postmaster.pid says. Its process may be dead, or another program by now: see `isPostmasterOf`. */
interface PostmasterFile {
  readonly pid: number
  /** Undefined while the server has not written it yet. */
  readonly port: number | undefined
  /** starting, ready, stopping, standby; empty while not written yet. */
  readonly status: string
}

/** Of the time for both shutdowns. */
const IMMEDIATE_SHUTDOWN_PART = 0.4
const LONGEST_FAST_SHUTDOWN_MS = 5_000
const POLL_MS = 20

export async function readPostmasterFile(dir: string): Promise<PostmasterFile | undefined> {
  const content = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(unlessAbsent)
  const lines = content.split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  // A single-user server writes its pid negated, and to signal 0 or less would reach whole process groups.
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined
  return { pid, port: Number(lines[3]) || undefined, status: lines[7] ?? '' }
}

/** The postmaster of this folder (a real path) when it runs, verified at this moment. */
export async function findPostmaster(dir: string): Promise<PostmasterFile | undefined> {
  const file = await readPostmasterFile(dir)
  return file !== undefined && (await isPostmasterOf(file.pid, dir)) ? file : undefined
}

/** Whether the process is alive and serves this folder: ids are given again, so the file alone proves nothing. */
export async function isPostmasterOf(pid: number, dir: string): Promise<boolean> {
  try {
    if (process.platform !== 'linux') return (await commandOf(pid)).includes(`postgres -D ${dir}`)
    // The name tells it from a shell that stands in the folder, and from its own children (postgres: …).
    const [program = '', ...words] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    if (basename(program) !== 'postgres') return false
    // Root in a container may often not look into another user's process, but anyone may read its command.
    const folder = await readlink(`/proc/${pid}/cwd`).catch(unlessForbidden)
    return folder === undefined ? words.includes(dir) : folder === dir
  } catch {
    return false
  }
}

/**
 * Stops the server of this folder if it runs: a fast shutdown (clients are dropped, data is written out), after
 * 5 s or sooner an immediate one, which loses nothing either: the next start recovers. OperatorError when it does not
 * end within the time.
 */
export async function stopPostmaster(dir: string, withinMs: number): Promise<void> {
  const running = await findPostmaster(dir)
  if (running === undefined) return
  const fastMs = Math.min(LONGEST_FAST_SHUTDOWN_MS, withinMs * (1 - IMMEDIATE_SHUTDOWN_PART))
  await signal(running.pid, 'SIGINT', dir)
  if (await hasEnded(running.pid, dir, fastMs)) return
  await signal(running.pid, 'SIGQUIT', dir)
  if (await hasEnded(running.pid, dir, withinMs - fastMs)) return
  throw new OperatorError(
    `PostgreSQL (process ${running.pid}) in ${dir} does not stop; the next start will find it.`,
  )
}

/**
 * Turns a smart shutdown (what `kill PID` asks for) into a fast one: a smart one takes no new clients and waits for
 * the present ones to leave, and a service's presence never leaves by itself. Changes nothing for any other.
 */
export async function hastenShutdown(dir: string): Promise<void> {
  const running = await findPostmaster(dir)
  if (running?.status === 'stopping') await signal(running.pid, 'SIGINT', dir)
}

async function signal(pid: number, name: NodeJS.Signals, dir: string): Promise<void> {
  if (!(await isPostmasterOf(pid, dir))) return
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
    throw new OperatorError(`PostgreSQL (process ${pid}) in ${dir} belongs to another user and runs on.`)
  }
}

/** Whether the server of this folder ends within the time. */
export async function hasEnded(pid: number, dir: string, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (!(await isPostmasterOf(pid, dir)) && !(await isExiting(pid))) return true
    await delay(POLL_MS)
  }
  return false
}

/** On its last instructions a process has no command any more, but is there; a zombie (Z) is gone. */
async function isExiting(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const [command, stat] = await Promise.all(
    ['cmdline', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => undefined)),
  )
  return command === '' && stat !== undefined && !/\) [ZX]/.test(stat)
}

async function commandOf(pid: number): Promise<string> {
  return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout
}

function unlessForbidden(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
}

function unlessAbsent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return ''
  throw error
}
