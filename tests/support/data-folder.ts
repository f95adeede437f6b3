import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyNewCluster } from './new-cluster.ts'
import { destroyEmbeddedDatabase } from './source/embedded.ts'
import type { Scope } from './test-database.ts'

/** The path of a new data folder, which does not exist yet. Removed with its database at the end of the scope. */
export async function newDataFolder(t: Scope): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'claimkeeper-test-'))
  const folder = join(parent, 'data')
  t.after(async () => {
    await destroyEmbeddedDatabase(folder)
    await rm(parent, { recursive: true, force: true })
  })
  return folder
}

/** A data folder with a cluster on which no server has run. */
export async function madeDataFolder(t: Scope): Promise<string> {
  const folder = await newDataFolder(t)
  await copyNewCluster(folder)
  return folder
}

/** Whether a database server runs on the folder, according to PostgreSQL's pid file. */
export function hasRunningDatabase(folder: string): boolean {
  return existsSync(join(folder, 'postgres', 'postmaster.pid'))
}

export async function databaseProcess(folder: string): Promise<number> {
  return Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

/** The URL of the folder's embedded database for other processes. */
export async function embeddedUrl(folder: string): Promise<string> {
  const read = (name: string) => readFile(join(folder, 'postgres', name), 'utf8')
  const password = encodeURIComponent((await read('claimkeeper.password')).trim())
  const port = (await read('postmaster.pid')).split('\n')[3]
  return `postgres://claimkeeper:${password}@127.0.0.1:${port}/claimkeeper`
}
