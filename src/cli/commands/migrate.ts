import type { Command } from 'commander'
import type { App } from '../../app.ts'
import { finishMigrations } from '../../platform/database/migrate/finish-migrations.ts'
import { confirm } from '../../platform/terminal/output.ts'
import { migrationProgress } from '../migration-progress.ts'
import { reportTo, runCommand } from '../run-command.ts'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the version of this code, also what a server does in the background')
    .option(
      '--distribute',
      'also distribute the tables; DATABASE_URL names the coordinator of a Citus cluster',
    )
    .action(async ({ distribute }: { distribute?: boolean }) => {
      // Opening the database migrates it.
      const left = await runCommand(finish, { mayCreate: true, distribute: distribute === true })
      const rest = left === 0 ? '' : `, but for ${left} migrations that newer servers run in the background`
      await confirm(
        `The database is up to date${distribute ? ', and its tables are distributed' : ''}${rest}.`,
      )
    })
}

async function finish(app: App): Promise<number> {
  const progress = migrationProgress(reportTo(process.stderr))
  try {
    return await finishMigrations(app, progress.show)
  } finally {
    progress.end()
  }
}
