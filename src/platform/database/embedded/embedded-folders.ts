import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { RunAs } from './run-as.ts'

/**
 * Creates the folder and its missing parents, with one attempt each. Node's recursive mkdir loops forever on file systems like /proc,
 * which report that a folder neither exists nor can be created. Returns whether the folder is new.
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

/** Does not check whether the path is a file: using it as a folder fails later. */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** Synchronizes the folder, so that a rename in it is on the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/*
 * Password files are in the cluster's folder, so that a moved or copied folder contains its passwords.
 */

/** The password of the service's role. */
export const PASSWORD_FILE = 'claimkeeper.password'
/** The same for PGPASSFILE: every user of the machine can see a password on a command line. */
export const PGPASS_FILE = 'claimkeeper.pgpass'
/** The password of the superuser. */
export const SUPERUSER_PASSWORD_FILE = 'superuser.password'

/** Creates and synchronizes a file with a password of 256 random bits, which only its owner can read. */
export async function makePasswordFile(path: string, runAs: RunAs): Promise<void> {
  await writeSecret(path, `${randomBytes(32).toString('hex')}\n`, runAs)
}

/** The password in a file; null if the file is missing, or empty because its writer was killed. */
export async function findPassword(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })
  return text.trim() || null
}

/** Replaces the file atomically. */
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
