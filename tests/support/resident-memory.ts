import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** Resident memory of the process in bytes (VmRSS). */
export async function residentBytes(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}
