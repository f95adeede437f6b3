import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { OperatorError } from '../../../kernel/operator-error.ts'

const ROTATE_AT_BYTES = 10 * 1024 * 1024
const LAST_LINES = 4

/** Opens the log for appending, readable by its owner only: it may quote statements. Over 10 MiB it moves to .1. */
export async function openLog(logFile: string): Promise<{ file: FileHandle; size: number }> {
  const old = await stat(logFile).catch(() => undefined)
  if (old !== undefined && old.size > ROTATE_AT_BYTES) {
    // Fails when another process that starts the server has just done it.
    await rename(logFile, `${logFile}.1`).catch(() => undefined)
  }
  try {
    const file = await open(logFile, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
    return { file, size: (await file.stat()).size }
  } catch (error) {
    throw new OperatorError(`Cannot write PostgreSQL's log: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * What the process wrote after the log had that size, without times. When it wrote nothing in PostgreSQL's form,
 * what anyone wrote: the loader and setpriv put no process id before their complaints.
 */
export async function readLogOf(pid: number, logFile: string, size: number): Promise<string[]> {
  const written = (await readFile(logFile)).subarray(size).toString('utf8')
  const lines = written.split('\n').filter((line) => line.trim() !== '')
  const own = lines.filter((line) => line.includes(` [${pid}] `))
  return (own.length > 0 ? own : lines).map(withoutTime)
}

/** A line of PostgreSQL without the time and the process id before it. */
export function withoutTime(line: string): string {
  return line.replace(/^.*? \[\d+\] /, '').trim()
}

/** The part of the lines that tells why a program of PostgreSQL ended. */
export function lastWords(lines: readonly string[]): string {
  const words = lines.filter((line) => /^(initdb: error|ERROR|FATAL|PANIC|HINT|DETAIL):/.test(line))
  return (words.length > 0 ? words : lines.filter((line) => line !== '')).slice(-LAST_LINES).join('; ')
}
