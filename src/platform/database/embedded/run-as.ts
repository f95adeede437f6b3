import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../../kernel/operator-error.ts'
import type { Binaries } from './binaries.ts'
import { cleanEnvironment } from './machine/clean-environment.ts'

const execute = promisify(execFile)

/** How PostgreSQL's programs are run: PostgreSQL refuses to run as root. */
export interface RunAs {
  /** Whom to run as and give the files to; undefined: as this process. */
  readonly user: Identity | undefined
  /** Words before the program's own: setpriv if that user cannot enter a folder on the way. */
  readonly prefix: readonly string[]
}

/** Decides whom PostgreSQL runs as in a folder of `home`. As root: an existing cluster's owner, else postgres, else nobody. */
export async function chooseRunAs(home: string, clusterDir: string, binaries: Binaries): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { user: undefined, prefix: [] }
  const user = (await ownerOf(clusterDir)) ?? (await lookUp('postgres')) ?? (await lookUp('nobody'))
  if (user === undefined) {
    throw new OperatorError(
      'PostgreSQL does not run as root and there is no user postgres or nobody here: run as an ordinary user, or set DATABASE_URL.',
    )
  }
  const native = dirname(dirname(binaries.postgres))
  const closed = await findClosedFolder(
    [home, dirname(binaries.postgres), join(native, 'lib'), join(native, 'share', 'postgresql')],
    user,
  )
  return { user, prefix: closed === undefined ? [] : await findPassage(user, closed, binaries) }
}

/** Starts a program of PostgreSQL with a clean environment. */
export function spawnAs(
  runAs: RunAs,
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const [command = program, ...words] = [...runAs.prefix, program, ...args]
  const env = { ...cleanEnvironment(), ...options.env }
  // setpriv must still be root when it starts; it changes the user itself.
  if (runAs.user === undefined || runAs.prefix.length > 0) return spawn(command, words, { ...options, env })
  return spawn(command, words, { ...options, env, ...runAs.user })
}

/** Root's own cluster folder (copied without its owners) tells nothing: PostgreSQL cannot have run as root. */
async function ownerOf(folder: string): Promise<Identity | undefined> {
  const found = await stat(folder).catch(() => undefined)
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid }
}

async function lookUp(name: string): Promise<Identity | undefined> {
  try {
    const ask = async (option: string) => Number((await execute('id', [option, name])).stdout)
    return { uid: await ask('-u'), gid: await ask('-g') }
  } catch {
    return undefined
  }
}

/**
 * A way for an ordinary user through folders that only root can enter: it keeps one capability, the one to pass
 * and read (or, in a container that lacks it, the one that may also write). PostgreSQL asks access(2) about its own
 * programs, which forgets capabilities unless no_setuid_fixup is set; setting that needs a further privilege, so
 * the last two ways do without, which is enough when only the data is behind the closed folder.
 */
async function findPassage(user: Identity, closed: string, binaries: Binaries): Promise<string[]> {
  for (const securebits of [['--securebits=+no_setuid_fixup'], []]) {
    for (const capability of ['dac_read_search', 'dac_override']) {
      const set = `-all,+${capability}`
      const passage = [
        'setpriv',
        `--reuid=${user.uid}`,
        `--regid=${user.gid}`,
        '--clear-groups',
        `--inh-caps=${set}`,
        `--ambient-caps=${set}`,
        ...securebits,
        '--',
      ]
      if (await passes(passage, binaries)) return passage
    }
  }
  throw new OperatorError(
    `PostgreSQL runs as user ${user.uid}, which cannot enter ${closed}: set CLAIMKEEPER_DATA_DIR to a folder that it can enter, or run as an ordinary user, or set DATABASE_URL.`,
  )
}

async function passes([setpriv = '', ...words]: string[], binaries: Binaries): Promise<boolean> {
  return await execute(setpriv, [...words, binaries.postgres, '--version'], { env: cleanEnvironment() }).then(
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
 * The first folder, from the top, on the way to and including one of the given folders that this user cannot
 * enter by its mode bits; undefined when all are open. The folders must exist.
 */
async function findClosedFolder(folders: readonly string[], user: Identity): Promise<string | undefined> {
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
