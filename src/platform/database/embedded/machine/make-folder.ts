import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Makes the folder and those above it that lack, each tried once: Node's own recursive mkdir tries for ever if a file
 * system like /proc says of a folder that it does not exist and that it cannot be made. Returns whether this one is new.
 */
export async function makeFolder(path: string): Promise<boolean> {
  const folder = resolve(path)
  try {
    return await makeOne(folder)
  } catch (error) {
    const above = dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error
    await makeFolder(above)
    return await makeOne(folder)
  }
}

/** A file in its place shows when the folder is used. */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
