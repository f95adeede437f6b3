import type { Command } from 'commander'
import { CLAIM_SAMPLE_SIZE } from '../../doctor/limits.ts'

interface Options {
  backup?: string
  all: boolean
  json: boolean
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('examine settings, the database and its content; exit status 1 if it finds a fault')
    .option(
      '--backup <file>',
      'examine a backup instead ("-" for standard input), restored into a temporary database',
    )
    .option(
      '--all',
      `audit all claims against their contracts and logs, not a sample of ${CLAIM_SAMPLE_SIZE.toLocaleString('en')}`,
      false,
    )
    .option('--json', 'print one JSON object in place of the table', false)
    .action(async (options: Options) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts')
      const isWell = await runDoctor(options)
      if (!isWell) process.exitCode = 1
    })
}
