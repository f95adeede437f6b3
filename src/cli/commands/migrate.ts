import type { Command } from 'commander'
import type { App } from '../../app.ts'
import type { BackgroundState } from '../../platform/database/migrate/background-migrations.ts'
import { finishMigrations } from '../../platform/database/migrate/run-background-migrations.ts'
import { reportChange } from '../../platform/terminal/output.ts'
import { progressBar } from '../../platform/terminal/table.ts'
import { MIGRATION_REPORT_STEP_PERCENT } from '../limits.ts'
import { reportTo, runCommand } from '../run-command.ts'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to this version, including background migrations')
    .option(
      '--distribute',
      'also distribute the tables; DATABASE_URL names the coordinator of a Citus cluster',
    )
    .action(async ({ distribute }: { distribute?: boolean }) => {
      // Opening the database migrates it.
      const left = await runCommand(finish, { mayCreate: true, distribute: distribute === true })
      const rest = left === 0 ? '' : `, except for ${left} background migrations of newer servers`
      await reportChange(
        `The database is up to date${distribute ? ', and its tables are distributed' : ''}${rest}.`,
      )
    })
}

async function finish(app: App): Promise<number> {
  const progress = migrationProgress(reportTo(process.stderr))
  try {
    return await finishMigrations(app.backgroundMigrations, progress.show)
  } finally {
    progress.end()
  }
}

interface MigrationProgress {
  show: (state: BackgroundState) => void
  end: () => void
}

/** A bar on standard error if that is a terminal, otherwise lines. */
const migrationProgress = (report: (step: string) => void): MigrationProgress =>
  process.stderr.isTTY ? bar() : lines(report)

function bar(): MigrationProgress {
  const shown = progressBar('{name} {bar} {percentage} %')
  let isOn = false
  return {
    show: ({ name, progress }) => {
      if (!isOn) shown.start(100, 0, { name: '' })
      isOn = true
      shown.update(Math.floor(progress * 100), { name })
    },
    end: () => shown.stop(),
  }
}

function lines(report: (step: string) => void): MigrationProgress {
  let last = ''
  return {
    show: ({ name, progress }) => {
      const step = MIGRATION_REPORT_STEP_PERCENT
      const percent = Math.floor((progress * 100) / step) * step
      const line = `Migrating in the background: ${name}, ${percent} %`
      if (line !== last) report(line)
      last = line
    },
    end: () => {},
  }
}
