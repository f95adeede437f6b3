import { openSync } from 'node:fs'

/** A file to which nothing can be written. Null on systems without one. */
export const FULL = process.platform === 'linux' ? openSync('/dev/full', 'w') : null
