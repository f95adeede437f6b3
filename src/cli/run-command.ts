import { setPriority } from 'node:os'
import { styleText } from 'node:util'
import type { App } from '../app.ts'
import { readConfig } from '../config/config.ts'
import { printable } from '../platform/terminal/printable.ts'
import { listenForStop, withStopTimeout } from '../platform/terminal/stop-signal.ts'
import { withApp } from '../service/create-app.ts'

/**
 * Runs a short command on the configured database, whether the service runs or not. By default the database must exist: with wrong
 * settings a command would otherwise create a second database and succeed.
 */
export function runCommand<T>(
  work: (app: App) => Promise<T>,
  { mayCreate, distribute = false }: { mayCreate: boolean; distribute?: boolean } = { mayCreate: false },
): Promise<T> {
  const { databaseUrl, dataDir, allowUnsafeDatabase } = readConfig()
  const signal = listenForStop()
  const report = reportTo(process.stderr)
  const options = {
    databaseUrl,
    dataDir,
    allowUnsafe: allowUnsafeDatabase,
    mayCreate,
    distribute,
    report,
    signal,
  }
  return withStopTimeout(signal, withApp(options, work))
}

/** For long commands: the operating system then prefers the service. */
export const lowerPriority = (): void => setPriority(10)

/** Prints each step as a gray line. */
export function reportTo(stream: NodeJS.WriteStream): (step: string) => void {
  return (step) => stream.write(`${styleText('dim', `· ${printable(step)}`, { stream })}\n`)
}
