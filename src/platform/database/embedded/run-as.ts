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
  // setpriv starts as root and changes the user itself.
  if (runAs.user === undefined || runAs.prefix.length > 0) return spawn(command, words, { ...options, env })
  return spawn(command, words, { ...options, env, ...runAs.user })
}

/** The owner of the folder. Root is ignored: PostgreSQL cannot have run as root, so the folder was copied by root. */
async function ownerOf(folder: string): Promise<Identity | undefined> {
  const found = await stat(folder).catch(() => undefined)
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid }
}

async function lookUp(name: string): Promise<Identity | undefined> {
  try {
    const idOf = async (option: string) => Number((await execute('id', [option, name])).stdout)
    return { uid: await idOf('-u'), gid: await idOf('-g') }
  } catch {
    return undefined
  }
}

/**
 * A setpriv command that lets an ordinary user pass folders that only root can enter, such as /root, where `npm start` as root must
 * work. The user keeps one capability: dac_read_search, or dac_override in a container that lacks it. PostgreSQL calls access(2) for its
 * own programs, which ignores capabilities unless no_setuid_fixup is set. Setting it needs a further privilege, so the last two
 * commands omit it, which suffices if only the data is in the closed folder.
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
 * The first of the given folders and their parents that the user cannot enter by its mode bits; undefined if there is none. The folders
 * must exist.
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

/** The kernel checks only the first matching class: the owner's bits apply to the owner. */
function mayEnter(folder: Stats, user: Identity): boolean {
  if (folder.uid === user.uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === user.gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}
