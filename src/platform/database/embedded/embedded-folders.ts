import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { RunAs } from './run-as.ts'

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

/** A rename in the folder is on the disk when this resolves. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/*
 * Passwords lie inside the cluster's folder, so that whoever moves or copies it brings them along: they always fit it.
 */

/** Of the service's role. */
export const PASSWORD_FILE = 'claimkeeper.password'
/** The same in the form that PGPASSFILE names: a password on a command line is seen by everyone on the machine. */
export const PGPASS_FILE = 'claimkeeper.pgpass'
/** Of the superuser, which the service uses for nothing but to start, stop and find its server. */
export const SUPERUSER_PASSWORD_FILE = 'superuser.password'

/** Makes a file that its owner alone can read, with a password of 256 random bits; on the disk when this resolves. */
export async function makePasswordFile(path: string, runAs: RunAs): Promise<void> {
  await writeSecret(path, `${randomBytes(32).toString('hex')}\n`, runAs)
}

/** The password in a file; null if there is no such file, or only what a killed process began to write. */
export async function findPassword(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })
  return text.trim() || null
}

/** Puts the file there as a whole, or leaves the one that is there. */
export async function replaceSecret(path: string, text: string, runAs: RunAs): Promise<void> {
  const next = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await writeSecret(next, text, runAs)
    await rename(next, path)
  } finally {
    await rm(next, { force: true })
  }
}

async function writeSecret(path: string, text: string, runAs: RunAs): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    if (runAs.user !== undefined) await file.chown(runAs.user.uid, runAs.user.gid)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
