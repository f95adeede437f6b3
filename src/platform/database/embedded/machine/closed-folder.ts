import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A user without supplementary groups. */
export interface Identity {
  readonly uid: number
  readonly gid: number
}

/**
 * The first folder, from the top, on the way to and including one of the given folders that this user cannot
 * enter by its mode bits; undefined when all are open. The folders must exist.
 */
export async function findClosedFolder(
  folders: readonly string[],
  user: Identity,
): Promise<string | undefined> {
  for (const folder of folders) {
    for (const step of pathFromTheTop(await realpath(folder))) {
      if (!mayEnter(await stat(step), user)) return step
    }
  }
  return undefined
}

function pathFromTheTop(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [...pathFromTheTop(above), folder]
}

/** The kernel asks the first class that fits and no other: an owner is held to the owner's bits. */
function mayEnter(folder: Stats, user: Identity): boolean {
  if (folder.uid === user.uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === user.gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}
