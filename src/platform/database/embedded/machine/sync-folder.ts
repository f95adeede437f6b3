import { open } from 'node:fs/promises'

/** A rename in the folder is on the disk when this resolves. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
