import { openSync } from 'node:fs'

/** A file to which nothing can be written any more, or null where the system has none. */
export const FULL = process.platform === 'linux' ? openSync('/dev/full', 'w') : null
