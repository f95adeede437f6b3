import type { Command } from 'commander'

interface Options {
  force: boolean
}

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('write the content of the database to a file; the service may run')
    .argument('<file>', 'the file; "-" for standard output')
    .option('--force', 'replace an existing file once the new one is complete', false)
    .addHelpText('after', NOTES)
    .action(async (file: string, options: Options) => {
      // Imported here so that other commands start faster.
      const { runBackup } = await import('../backup/run-backup.ts')
      await runBackup(file, options.force)
    })
}

const NOTES = `
The file is as secret as the database: it contains the hashes of passwords and tokens, and the keys of webhooks. Only
its owner can read it. It gets its name once it is complete and on the disk.`
