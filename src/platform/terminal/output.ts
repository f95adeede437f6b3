import { constants, fstatSync, writeFileSync } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { OperatorError } from '../../kernel/operator-error.ts'
import { inputName, statInput } from './input-file.ts'
import { printableJson } from './printable.ts'

/*
 * Standard output of commands. Each write is awaited: `console.log` ignores errors, and a command would end with status 0
 * although the disk is full or the pipe is closed. A lint rule forbids `console.log` in `cli/`.
 */

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
export async function reportChange(text: string): Promise<void> {
  try {
    await print(text)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new OperatorError(`${error.message}. The change stays: ${text.split('\n')[0]}`, { cause: error })
  }
}

/** Prints a progress line. Errors are ignored. */
export function printProgress(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Writes to a file directly: on a full disk Node's stream for a file reports success after a partial write. */
async function writeAll(data: Buffer): Promise<void> {
  if (isOutputFile()) return writeFileSync(1, data)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  process.stdout.write(data, (error) => (error ? reject(error) : resolve()))
  return promise
}

const isOutputFile = (): boolean => fstatSync(1).isFile()

/** The reason of a failed write, such as "no space left on device (ENOSPC)". */
function reasonOf(error: unknown): string {
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

/** A report contains data of events: only its owner may read it. */
const OWNER_ONLY = 0o600

/**
 * @param output null for standard output
 * @throws OperatorError if an output is one of the inputs, directly or through a link: writing it would destroy the input
 */
export async function refuseInputAsOutput(output: string | null, inputs: readonly string[]): Promise<void> {
  const target = output === null ? fstatSync(1) : await statInput(output).catch(() => null)
  if (!target?.isFile()) return
  for (const input of inputs) {
    const source = await statInput(input).catch(() => null)
    if (source?.ino !== target.ino || source.dev !== target.dev) continue
    const name = output ?? 'standard output'
    throw new OperatorError(
      `cannot write to ${name}: it is the input ${inputName(input)}. Give another file.`,
    )
  }
}

/** @throws OperatorError if the path is a file in one of these folders, directly or through a link */
export async function refuseFileIn(path: string, folders: readonly string[]): Promise<void> {
  const target = await realpath(path).catch(() => null)
  for (const folder of folders) {
    const folderPath = await realpath(folder).catch(() => null)
    if (target === null || folderPath === null || !target.startsWith(`${folderPath}${sep}`)) continue
    throw new OperatorError(
      `cannot write to ${path}: it is in the folder ${folder}. Give a file in another folder.`,
    )
  }
}

/**
 * Writes a file that only its owner can read. Replaces the content of an existing file.
 * @throws OperatorError
 */
export async function writeForOwner(path: string, text: string): Promise<void> {
  try {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT, OWNER_ONLY)
    try {
      if ((await file.stat()).isFile()) {
        await file.chmod(OWNER_ONLY)
        await file.truncate()
      }
      await file.writeFile(text)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw new OperatorError(`cannot write to ${path}: ${reasonOf(error)}`, { cause: error })
  }
}
