import { globSync, readdirSync, readFileSync } from 'node:fs'

// Figures of processes from /proc. Null on other systems than Linux.

const TICK_MS = 10

/** Resident memory in MB. */
export function residentMbOf(pid: number): number | null {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`${pid}/status`))?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) / 1024
}

/** Number of open file descriptors. */
export function descriptorsOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return null
  }
}

/** CPU time of a process and its children, including ended children, in milliseconds. */
export function familyCpuMsOf(parent: number): number | null {
  const stat = readStat(parent)
  if (!stat) return null
  const children = globSync('/proc/[0-9]*')
    .map((path) => readStat(Number(path.slice('/proc/'.length))))
    .filter((child) => child?.parent === parent)
  return children.reduce((sum, child) => sum + (child?.ownMs ?? 0), stat.ownMs + stat.endedChildrenMs)
}

/** Whether the process is a PostgreSQL process. */
export const isPostgres = (pid: number): boolean => readProc(`${pid}/comm`).startsWith('postgres')

interface Stat {
  parent: number
  ownMs: number
  endedChildrenMs: number
}

/** Fields are counted after the program's name, which may contain spaces. */
function readStat(pid: number): Stat | null {
  const text = readProc(`${pid}/stat`)
  if (text === '') return null
  const [, parent, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [user, system, endedUser, endedSystem] = rest.slice(9, 13).map((ticks) => Number(ticks) * TICK_MS)
  return {
    parent: Number(parent),
    ownMs: (user as number) + (system as number),
    endedChildrenMs: (endedUser as number) + (endedSystem as number),
  }
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}
