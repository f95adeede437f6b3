import { readdir, readFile } from 'node:fs/promises'
import { findPostmaster, hasEnded } from '../../src/platform/database/embedded/postmaster.ts'

const GONE_MS = 10_000

/** Kills the PostgreSQL of this folder (a real path) with all of its processes, whatever their state. */
export async function killPostgres(dir: string): Promise<void> {
  const pid = (await findPostmaster(dir))?.pid
  if (pid === undefined) return
  // A stopped postmaster starts no further processes.
  send(pid, 'SIGSTOP')
  for (const child of await childrenOf(pid)) kill(child)
  kill(pid)
  if (!(await hasEnded(pid, dir, GONE_MS))) throw new Error(`PostgreSQL (process ${pid}) cannot be killed`)
}

async function childrenOf(parent: number): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.map(Number).filter((pid) => pid > 0)
  const parents = await Promise.all(pids.map(parentOf))
  return pids.filter((_, i) => parents[i] === parent)
}

/** The program's name, in brackets, may contain anything. */
async function parentOf(pid: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1])
}

export const kill = (pid: number): void => send(pid, 'SIGKILL')

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended.
  }
}
