import { styleText } from 'node:util'
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { ServiceError } from '../kernel/errors.ts'
import { OperatorError, UsageError } from '../kernel/operator-error.ts'
import { listenForOutputErrors, write } from '../platform/terminal/output.ts'
import { printable, printableLines } from '../platform/terminal/printable.ts'
import { addArchiveCommand } from './commands/archive.ts'
import { addBacktestCommand } from './commands/backtest.ts'
import { addBackupCommand, addRestoreCommand } from './commands/backup.ts'
import { addCalendarCommand } from './commands/calendar.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addListenCommand } from './commands/listen.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addServeCommand } from './commands/serve.ts'
import { addTokenCommand } from './commands/token.ts'
import { addUserCommand } from './commands/user.ts'

/** Exit status for an unknown option or command, or a missing or invalid value. */
const USAGE_ERROR = 2

/** Runs the command line; returns the exit status. */
export async function run(argv: readonly string[]): Promise<number> {
  listenForOutputErrors()
  let help = ''
  const program = new Command('claimkeeper')
    .description('Did the promised outcome happen, yes or no?')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        help += text
      },
      writeErr: (text) => process.stderr.write(printableLines(text)),
    })
    .showHelpAfterError('(run with --help for the options)')
  addServeCommand(program)
  addMigrateCommand(program)
  addBackupCommand(program)
  addRestoreCommand(program)
  addDoctorCommand(program)
  addBacktestCommand(program)
  addListenCommand(program)
  addCalendarCommand(program)
  addUserCommand(program)
  addTokenCommand(program)
  addArchiveCommand(program)

  try {
    await program.parseAsync(argv).catch(async (error) => {
      // Commander throws an error with status 0 for --help and --version.
      if (help !== '') await write(help)
      throw error
    })
    // A command that ran without an error may report a fault by its status.
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR
    console.error(`${styleText('red', 'claimkeeper:', { stream: process.stderr })} ${describe(error)}`)
    return error instanceof UsageError ? USAGE_ERROR : 1
  }
}

/** One line for errors that the operator can fix, the stack for others. */
function describe(error: unknown): string {
  if (error instanceof OperatorError || error instanceof ServiceError) return printable(error.message)
  return error instanceof Error
    ? `unexpected failure\n${printableLines(error.stack ?? '')}`
    : printable(String(error))
}
