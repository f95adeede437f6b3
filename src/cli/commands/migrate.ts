import type { Command } from 'commander'
import { runCommand } from '../run-command.ts'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the version of this code (serve does so too)')
    .option(
      '--distribute',
      'also distribute the tables; DATABASE_URL names the coordinator of a Citus cluster',
    )
    .action(async ({ distribute }: { distribute?: boolean }) => {
      // Opening the database migrates it.
      await runCommand(async () => {}, { mayCreate: true, distribute: distribute === true })
      console.log(`The database is up to date${distribute ? ', and its tables are distributed' : ''}.`)
    })
}
