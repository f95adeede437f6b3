import type { Command } from 'commander'

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('write the content of the database to a file; the service may run')
    .argument('<file>', 'the file; "-" for standard output')
    .option('--force', 'replace an existing file once the new one is complete', false)
    .addHelpText('after', BACKUP_NOTES)
    .action(async (file: string, { force }: { force: boolean }) => {
      // Imported here so that other commands start faster.
      const { runBackup } = await import('../backup/run-backup.ts')
      await runBackup(file, force)
    })
}

const BACKUP_NOTES = `
The file is as secret as the database: it contains the hashes of passwords and tokens, and the keys of webhooks. Only
its owner can read it. It gets its name once it is complete and on the disk.`

export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description('restore a backup into an empty database')
    .argument('<file>', 'a file of claimkeeper backup; "-" for standard input')
    .option(
      '--disable-webhooks',
      'disable all webhook endpoints of the restored database, for a trial beside the original',
      false,
    )
    .addHelpText('after', RESTORE_NOTES)
    .action(async (file: string, { disableWebhooks }: { disableWebhooks: boolean }) => {
      const { runRestore } = await import('../backup/run-restore.ts')
      await runRestore(file, { disablesWebhooks: disableWebhooks })
    })
}

const RESTORE_NOTES = `
DATABASE_URL names an empty database, or CLAIMKEEPER_DATA_DIR a folder in which an embedded one is created. The backup is
restored completely or not at all. All users must sign in again. Tokens that were revoked after the backup are valid again.`
