import { readFile } from 'node:fs/promises'

/** The processes of a PostgreSQL server: the postmaster, then its children. On Linux alone. */
export async function serverProcesses(postmaster: number): Promise<number[]> {
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
  return [postmaster, ...children.trim().split(' ').map(Number)]
}

/** Sends the signal to each process. A process that has ended is skipped. */
export function signalEach(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
