import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { MAX_POSTGRES_LOG_BYTES } from '../limits.ts'

const LAST_LINES = 4

/** Opens the log for appending, readable only by its owner: it may contain statements. A large log is first renamed to .1. */
export async function openLog(logFile: string): Promise<{ file: FileHandle; size: number }> {
  const old = await stat(logFile).catch(() => undefined)
  if (old !== undefined && old.size > MAX_POSTGRES_LOG_BYTES) {
    // Fails if another process that starts the server has just renamed it.
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
 * The lines of the process after the log had this size, without times. If there are none in PostgreSQL's form, all lines: errors of
 * the loader and of setpriv have no process id.
 */
export async function readLogOf(pid: number, logFile: string, size: number): Promise<string[]> {
  const written = (await readFile(logFile)).subarray(size).toString('utf8')
  const lines = written.split('\n').filter((line) => line.trim() !== '')
  const own = lines.filter((line) => line.includes(` [${pid}] `))
  return (own.length > 0 ? own : lines).map(withoutTime)
}

/** Removes the time and the process id of a line. */
export function withoutTime(line: string): string {
  return line.replace(/^.*? \[\d+\] /, '').trim()
}

/** The lines that give the reason why a program of PostgreSQL ended. */
export function lastErrors(lines: readonly string[]): string {
  const errors = lines.filter((line) => /^(initdb: error|ERROR|FATAL|PANIC|HINT|DETAIL):/.test(line))
  return (errors.length > 0 ? errors : lines.filter((line) => line !== '')).slice(-LAST_LINES).join('; ')
}
