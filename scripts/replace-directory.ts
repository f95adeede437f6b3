import { rename, rm } from 'node:fs/promises'

/** Others may be putting theirs there at the same moment. */
const MAX_TRIES = 20

/** Puts a directory in the place of one that may be there. It is there whole or not at all; of several at once, the last one stays. */
export async function replaceDirectory(place: string, fresh: string): Promise<void> {
  const old = `${fresh}.old`
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await rename(place, old).catch(unless('ENOENT'))
    await rm(old, { recursive: true, force: true })
    const isDone = await rename(fresh, place).then(() => true, unless('ENOTEMPTY', 'EEXIST'))
    if (isDone) return
  }
  throw new Error(`Others put theirs in the place of ${place} again and again.`)
}

const unless =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException): void => {
    if (!codes.includes(error.code ?? '')) throw error
  }
