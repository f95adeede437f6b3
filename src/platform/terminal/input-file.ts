import { createReadStream, fstatSync, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** The path that means standard input. */
export const STANDARD_INPUT = '-'

/** The name of an input in messages. */
export const inputName = (path: string): string => (path === STANDARD_INPUT ? 'standard input' : path)

/** @throws ErrnoException if there is no such file */
export const statInput = async (path: string): Promise<Stats> =>
  path === STANDARD_INPUT ? fstatSync(0) : stat(path)

/** The bytes of a file, a pipe or standard input. */
export const openInput = (path: string, highWaterMark?: number): Readable =>
  path === STANDARD_INPUT
    ? process.stdin
    : createReadStream(path, highWaterMark === undefined ? {} : { highWaterMark })
