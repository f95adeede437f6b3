import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { type Binaries, cleanEnvironment } from './binaries.ts'

const execute = promisify(execFile)

/** The user of PostgreSQL's programs: PostgreSQL refuses to run as root. */
export interface RunAs {
  /** The user that runs the programs and owns the files; undefined for the user of this process. */
  readonly user: Identity | undefined
  /** A command before the program: setpriv, if the user cannot enter a folder of the path. */
  readonly prefix: readonly string[]
}

/** Chooses PostgreSQL's user. For root: the owner of an existing cluster, otherwise postgres, otherwise nobody. */
export async function chooseRunAs(home: string, clusterDir: string, binaries: Binaries): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { user: undefined, prefix: [] }
  const user = (await ownerOf(clusterDir)) ?? (await findUser('postgres')) ?? (await findUser('nobody'))
  if (user === undefined) {
    throw new OperatorError(
      'PostgreSQL does not run as root and there is no user postgres or nobody here: run as an ordinary user, or set DATABASE_URL.',
    )
  }
  const native = dirname(dirname(binaries.postgres))
  const inaccessible = await findInaccessibleFolder(
    [home, dirname(binaries.postgres), join(native, 'lib'), join(native, 'share', 'postgresql')],
    user,
  )
  return {
    user,
    prefix: inaccessible === undefined ? [] : await findSetprivCommand(user, inaccessible, binaries),
  }
}

/** Starts a program of PostgreSQL with a clean environment. */
export function spawnAs(
  runAs: RunAs,
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const [command = program, ...commandArgs] = [...runAs.prefix, program, ...args]
  const env = { ...cleanEnvironment(), ...options.env }
  // setpriv starts as root and changes the user itself.
  if (runAs.user === undefined || runAs.prefix.length > 0)
    return spawn(command, commandArgs, { ...options, env })
  return spawn(command, commandArgs, { ...options, env, ...runAs.user })
}

/** The owner of the folder. Root is ignored: PostgreSQL cannot have run as root, so the folder was copied by root. */
async function ownerOf(folder: string): Promise<Identity | undefined> {
  const found = await stat(folder).catch(() => undefined)
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid }
}

async function findUser(name: string): Promise<Identity | undefined> {
  try {
    const idOf = async (option: string) => Number((await execute('id', [option, name])).stdout)
    return { uid: await idOf('-u'), gid: await idOf('-g') }
  } catch {
    return undefined
  }
}

/**
 * The setpriv command that lets the user enter folders of root. Without it, `npm start` as root fails in /root.
 * The user keeps one capability: dac_read_search, or dac_override in a container that lacks dac_read_search.
 * PostgreSQL checks its programs with access(2). access(2) ignores capabilities unless no_setuid_fixup is set.
 * Setting no_setuid_fixup needs a further privilege, so the last two commands omit it. They suffice if only the data is in
 * a folder of root.
 */
async function findSetprivCommand(
  user: Identity,
  inaccessible: string,
  binaries: Binaries,
): Promise<string[]> {
  for (const securebits of [['--securebits=+no_setuid_fixup'], []]) {
    for (const capability of ['dac_read_search', 'dac_override']) {
      const set = `-all,+${capability}`
      const command = [
        'setpriv',
        `--reuid=${user.uid}`,
        `--regid=${user.gid}`,
        '--clear-groups',
        `--inh-caps=${set}`,
        `--ambient-caps=${set}`,
        ...securebits,
        '--',
      ]
      if (await canRun(command, binaries)) return command
    }
  }
  throw new OperatorError(
    `PostgreSQL runs as user ${user.uid}, which cannot enter ${inaccessible}: set CLAIMKEEPER_DATA_DIR to a folder that it can enter, or run as an ordinary user, or set DATABASE_URL.`,
  )
}

async function canRun([setpriv = '', ...args]: string[], binaries: Binaries): Promise<boolean> {
  return await execute(setpriv, [...args, binaries.postgres, '--version'], { env: cleanEnvironment() }).then(
    () => true,
    () => false,
  )
}

/** A user without supplementary groups. */
interface Identity {
  readonly uid: number
  readonly gid: number
}

/**
 * The first of the given folders and their parents whose mode bits do not let the user enter. Undefined if there is none.
 * The folders must exist.
 */
async function findInaccessibleFolder(
  folders: readonly string[],
  user: Identity,
): Promise<string | undefined> {
  for (const folder of folders) {
    for (const path of withParents(await realpath(folder))) {
      if (!mayEnter(await stat(path), user)) return path
    }
  }
  return undefined
}

/** The root folder first. */
function withParents(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [...withParents(parent), folder]
}

/** Like the kernel: the owner is checked by the owner's bits only, even if the group's bits would allow more. */
function mayEnter(folder: Stats, user: Identity): boolean {
  if (folder.uid === user.uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === user.gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}
