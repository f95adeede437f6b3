import { execFile } from 'node:child_process'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench } from '../bench.ts'
import { highestSingleRate } from '../fastest.ts'
import type { Part } from '../part.ts'
import { MAIN } from '../server-process.ts'
import { loadFreshClaims, submit, submitDuring } from '../submission-run.ts'

const CONNECTIONS = 64
/** Timeout of a backup. */
const MAX_MS = 600_000

export const backup: Part = {
  name: 'backup',
  summary: '`claimkeeper backup`, while events are submitted at half of the highest rate',
  run: async (bench, report) => {
    const { backupClaims, measureMs, warmupMs } = bench.sizes
    const rate = (await highestSingleRate(bench)) / 2
    const pick = await loadFreshClaims(bench, backupClaims)
    const run = { label: 'half of the maximum rate', pick, connections: CONNECTIONS, rate, measureMs }
    const before = await submit(bench, run)
    report.measured('half of the maximum rate, no backup', before)

    const { database } = await bench.main()
    bench.progress.doing('taking a backup')
    const { done, measured: submissions } = await submitDuring(
      bench,
      { pick, connections: CONNECTIONS, rate, warmupMs, maxMs: MAX_MS },
      () => takeBackup(bench, database.url),
    )
    const { seconds, megabytes } = done
    report.measured('half of the maximum rate, during a backup', submissions)
    report.row({
      what: `a backup of ${backupClaims.toLocaleString('en')} claims and their logs`,
      note: `${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s`,
    })
    report.figure('backup_seconds_per_million_claims', (seconds * 1e6) / backupClaims)
    report.latencyFigures('submit', 'during_backup', submissions)
    report.latencyFigures('submit', 'without_backup', before)
  },
}

async function takeBackup(bench: Bench, url: string): Promise<{ seconds: number; megabytes: number }> {
  const file = join(bench.options.folder, `claimkeeper-bench-${process.pid}.backup`)
  bench.cleanup.add(() => rm(file, { force: true }))
  const began = performance.now()
  await promisify(execFile)(process.execPath, [MAIN, 'backup', file], {
    env: { ...process.env, DATABASE_URL: url },
    timeout: MAX_MS,
  })
  return { seconds: (performance.now() - began) / 1000, megabytes: (await stat(file)).size / 1e6 }
}
