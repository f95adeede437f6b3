import type { Command } from 'commander'
import { runCommand } from '../run-command.ts'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the version of this code (serve does so too)')
    .action(async () => {
      // Opening the database migrates it.
      await runCommand(async () => {}, { mayCreate: true })
      console.log('The database is up to date.')
    })
}
