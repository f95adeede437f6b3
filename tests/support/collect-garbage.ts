import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Frees what nobody refers to, before memory is measured. */
export const collectGarbage = runInNewContext('gc') as () => void
