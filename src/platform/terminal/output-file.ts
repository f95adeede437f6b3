import { constants, fstatSync } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { OperatorError } from '../../kernel/operator-error.ts'
import { inputName, statInput } from './input-file.ts'
import { reasonOf } from './output.ts'

/** A report contains data of events: only its owner may read it. */
const OWNER_ONLY = 0o600

/**
 * @param output null for standard output
 * @throws OperatorError if an output is one of the inputs, also by a link: writing it would destroy the input
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

/** @throws OperatorError if the path is a file of one of these folders, also by a link */
export async function refuseFileIn(path: string, folders: readonly string[]): Promise<void> {
  const target = await realpath(path).catch(() => null)
  for (const folder of folders) {
    const place = await realpath(folder).catch(() => null)
    if (target === null || place === null || !target.startsWith(`${place}${sep}`)) continue
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
