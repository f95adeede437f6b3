import type { Command } from 'commander'

interface Options {
  force: boolean
}

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('write everything that the database holds to a file, while the service serves')
    .argument('<file>', 'where to; "-" for standard output')
    .option('--force', 'replace the file, once the new one is whole', false)
    .addHelpText('after', NOTES)
    .action(async (file: string, options: Options) => {
      // Loaded here: other commands start faster.
      const { runBackup } = await import('../backup/run-backup.ts')
      await runBackup(file, options.force)
    })
}

const NOTES = `
The file is as secret as the database: it holds the hashes of passwords and tokens, and the keys of webhooks. Only its
owner can read it. It appears under its name once it is whole and on the disk.`
