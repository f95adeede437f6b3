import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Scope } from './test-database.ts'

/* Other versions of the service, run from their sources. */

/**
 * The release that users upgrade from. Its servers run beside this version's during an upgrade
 * (`tests/e2e/upgrade.nightly.test.ts`), so later migrations must work with them. The commit after a release updates this constant.
 */
export const LAST_RELEASE = { commit: 'e7eef3c1dde2a714fef6418f8a4ed441f73ac1ce', migration: 12 }

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The parts of a checkout that `serve` needs, without the dashboard. */
const PARTS = ['src', 'package.json', 'openapi.json', 'docs/errors.md']
/** Further files that `npm ci` needs. */
const LOCK = ['package-lock.json', 'dashboard/package.json']
/** Without the dashboard's packages and the embedded PostgreSQL. npm takes packages from its cache if they are there. */
const INSTALL = [
  'ci',
  '--omit=dev',
  '--omit=optional',
  '--ignore-scripts',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
]
const run = promisify(execFile)

/** Whether the commit of the last release is here. A shallow clone and an unpacked package do not have it. */
export const hasLastRelease = (): Promise<boolean> =>
  run('git', ['cat-file', '-e', `${LAST_RELEASE.commit}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  )

/** Installs the last release with the dependencies of its own package-lock.json. Returns its main file. */
export async function installLastRelease(t: Scope): Promise<string> {
  const folder = await newFolder(t)
  const archive = join(folder, 'release.tar')
  await run('git', ['archive', '--output', archive, LAST_RELEASE.commit, ...PARTS, ...LOCK], { cwd: ROOT })
  await run('tar', ['-xf', archive, '-C', folder])
  await run('npm', INSTALL, { cwd: folder })
  return mainOf(folder)
}

/** Makes a next version: this one with further migrations. Returns its main file. */
export async function makeNextVersion(t: Scope, added: Record<string, string>): Promise<string> {
  const folder = await newFolder(t)
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(folder, 'docs'))
  for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true })
  for (const [name, text] of Object.entries(added))
    await writeFile(join(folder, 'src/platform/database/migrations', name), text)
  return mainOf(folder)
}

async function newFolder(t: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-version-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

const mainOf = (folder: string) => join(folder, 'src/main.ts')
