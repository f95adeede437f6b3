import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Scope } from './test-database.ts'

/*
 * Other versions of the service, as sources that run with the packages of this one.
 */

/**
 * The version that is in use when this one is released: its servers run beside this one's (`tests/e2e/upgrade.test.ts`), so no
 * migration since may ask for newer ones. A release names itself here in the commit after it.
 */
export const LAST_RELEASE = { commit: 'e7eef3c1dde2a714fef6418f8a4ed441f73ac1ce', migration: 12 }

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** What `serve` reads of a checkout; not the dashboard. */
const PARTS = ['src', 'package.json', 'openapi.json', 'docs/errors.md']
const run = promisify(execFile)

/** Whether the history goes back so far: in a shallow clone, and in an unpacked package, it does not. */
export const hasLastRelease = (): Promise<boolean> =>
  run('git', ['cat-file', '-e', `${LAST_RELEASE.commit}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  )

/** The main file of the last release. */
export async function unpackLastRelease(t: Scope): Promise<string> {
  const folder = await newFolder(t)
  const archive = join(folder, 'release.tar')
  await run('git', ['archive', '--output', archive, LAST_RELEASE.commit, ...PARTS], { cwd: ROOT })
  await run('tar', ['-xf', archive, '-C', folder])
  return mainOf(folder)
}

/** The main file of a next version: this one, with these migrations after its own. */
export async function makeNextVersion(t: Scope, added: Record<string, string>): Promise<string> {
  const folder = await newFolder(t)
  await mkdir(join(folder, 'docs'))
  for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true })
  for (const [name, text] of Object.entries(added))
    await writeFile(join(folder, 'src/storage/migrations', name), text)
  return mainOf(folder)
}

async function newFolder(t: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-version-'))
  t.after(() => rm(folder, { recursive: true }))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const mainOf = (folder: string) => join(folder, 'src/main.ts')
