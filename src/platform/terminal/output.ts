/*
 * Standard output of commands. Each write is awaited: `console.log` ignores errors, and a command would end with status 0
 * although the disk is full or the pipe is closed. A lint rule forbids `console.log` in `cli/`.
 */
import { fstatSync, writeFileSync } from 'node:fs'
import { getSystemErrorMessage } from 'node:util'
import { OperatorError } from '../../kernel/operator-error.ts'
import { printableJson } from './printable.ts'

/** Without a listener, a write error would end the process with a stack trace. */
export function listenForOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** @throws OperatorError if not all of the data can be written to standard output */
export async function write(data: string | Buffer): Promise<void> {
  try {
    await writeAll(Buffer.from(data))
  } catch (error) {
    throw outputError(error)
  }
}

export const outputError = (error: unknown): OperatorError =>
  new OperatorError(`cannot write to standard output: ${reasonOf(error)}`, { cause: error })

/** Prints the result of a command. @throws OperatorError */
export const print = (text: string): Promise<void> => write(`${text}\n`)

/** Prints records for programs, with the field names of the API: snake_case. @throws OperatorError */
export const printJson = (value: unknown): Promise<void> =>
  print(printableJson(JSON.stringify(inSnakeCase(value), null, 2)))

/**
 * Reports a change that a command has made.
 * @throws OperatorError with the first line of the text: the command fails, but the change stays
 */
export async function confirm(text: string): Promise<void> {
  try {
    await print(text)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new OperatorError(`${error.message}. The change stays: ${text.split('\n')[0]}`, { cause: error })
  }
}

/** Prints a progress line. Errors are ignored. */
export function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** If the disk becomes full, Node's stream for a file reports success after a partial write. */
async function writeAll(data: Buffer): Promise<void> {
  if (isFile()) return writeFileSync(1, data)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  process.stdout.write(data, (error) => (error ? reject(error) : resolve()))
  return promise
}

const isFile = (): boolean => fstatSync(1).isFile()

/** "no space left on device (ENOSPC)" */
export function reasonOf(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException
  if (code === 'EPIPE') return 'its reader has closed the pipe (EPIPE)'
  return errno === undefined ? message : `${getSystemErrorMessage(errno)} (${code})`
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase)
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(field),
    ]),
  )
}
