import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects garbage before memory is measured. */
export const collectGarbage = runInNewContext('gc') as () => void
