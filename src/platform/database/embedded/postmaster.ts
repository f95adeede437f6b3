import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { IMMEDIATE_SHUTDOWN_SHARE, MAX_FAST_SHUTDOWN_MS, SHUTDOWN_POLL_MS } from '../limits.ts'

/** The content of postmaster.pid. Its process may be dead, or its id reused: see `isPostmasterOf`. */
interface PostmasterFile {
  readonly pid: number
  /** Undefined while the server has not written it yet. */
  readonly port: number | undefined
  /** starting, ready, stopping, standby; empty while not written yet. */
  readonly status: string
}

export async function readPostmasterFile(dir: string): Promise<PostmasterFile | undefined> {
  const content = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(unlessAbsent)
  const lines = content.split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  // A single-user server writes its id negated. A signal to 0 or less would go to a process group.
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined
  return { pid, port: Number(lines[3]) || undefined, status: lines[7] ?? '' }
}

/** The running postmaster of this folder (a real path); undefined if it does not run. */
export async function findPostmaster(dir: string): Promise<PostmasterFile | undefined> {
  const file = await readPostmasterFile(dir)
  return file !== undefined && (await isPostmasterOf(file.pid, dir)) ? file : undefined
}

/** Whether the process runs and is the postmaster of this folder. The file alone proves nothing, because process ids are reused. */
export async function isPostmasterOf(pid: number, dir: string): Promise<boolean> {
  try {
    if (process.platform !== 'linux') return (await commandOf(pid)).includes(`postgres -D ${dir}`)
    // The name excludes a shell in the folder and the postmaster's children (postgres: …).
    const [program = '', ...words] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    if (basename(program) !== 'postgres') return false
    // In a container, root often may not read the folder of another user's process, but may read its command.
    const folder = await readlink(`/proc/${pid}/cwd`).catch(unlessForbidden)
    return folder === undefined ? words.includes(dir) : folder === dir
  } catch {
    return false
  }
}

/**
 * Stops the server of this folder if it runs: first by a fast shutdown, after 5 s or sooner by an immediate one. An immediate shutdown
 * loses nothing either: the next start recovers.
 * @throws OperatorError if the server does not end within the time
 */
export async function stopPostmaster(dir: string, withinMs: number): Promise<void> {
  const running = await findPostmaster(dir)
  if (running === undefined) return
  const fastMs = Math.min(MAX_FAST_SHUTDOWN_MS, withinMs * (1 - IMMEDIATE_SHUTDOWN_SHARE))
  await signal(running.pid, 'SIGINT', dir)
  if (await hasEnded(running.pid, dir, fastMs)) return
  await signal(running.pid, 'SIGQUIT', dir)
  if (await hasEnded(running.pid, dir, withinMs - fastMs)) return
  throw new OperatorError(
    `PostgreSQL (process ${running.pid}) in ${dir} does not stop; the next start will find it.`,
  )
}

/**
 * Turns a smart shutdown (`kill PID`) into a fast one: a smart shutdown waits until all clients disconnect, and the session of a
 * service never does. Other states stay unchanged.
 */
export async function escalateSmartShutdown(dir: string): Promise<void> {
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
    await delay(SHUTDOWN_POLL_MS)
  }
  return false
}

/** An exiting process has no command any more. A zombie (Z) has ended. */
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
