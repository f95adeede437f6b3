import { createReadStream, fstatSync, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** For standard input, in place of a path. */
export const STANDARD_INPUT = '-'

/** As messages name it. */
export const inputName = (path: string): string => (path === STANDARD_INPUT ? 'standard input' : path)

/** @throws ErrnoException if there is no such file */
export const statInput = async (path: string): Promise<Stats> =>
  path === STANDARD_INPUT ? fstatSync(0) : stat(path)

/** The bytes of a file, a pipe or standard input. */
export const openInput = (path: string, highWaterMark?: number): Readable =>
  path === STANDARD_INPUT
    ? process.stdin
    : createReadStream(path, highWaterMark === undefined ? {} : { highWaterMark })
