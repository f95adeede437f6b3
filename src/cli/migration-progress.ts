import type { BackgroundState } from '../platform/database/migrate/run-background-migrations.ts'
import { progressBar } from '../platform/terminal/progress-bar.ts'

export interface MigrationProgress {
  show: (state: BackgroundState) => void
  end: () => void
}

/** Without a terminal a line says how far it is when it has come so much further, in percent. */
const STEP = 10

/** A bar on standard error if that is a terminal; else lines, for a log. */
export const migrationProgress = (report: (step: string) => void): MigrationProgress =>
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
      const percent = Math.floor((progress * 100) / STEP) * STEP
      const line = `Migrating in the background: ${name}, ${percent} %`
      if (line !== last) report(line)
      last = line
    },
    end: () => {},
  }
}
