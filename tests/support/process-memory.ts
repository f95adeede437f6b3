import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** Bytes of memory that a process has now, as the kernel counts them. */
export async function processMemory(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}
