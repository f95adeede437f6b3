import type { Command } from 'commander'

interface Options {
  disableWebhooks: boolean
}

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
    .addHelpText('after', NOTES)
    .action(async (file: string, options: Options) => {
      const { runRestore } = await import('../backup/run-restore.ts')
      await runRestore(file, { disablesWebhooks: options.disableWebhooks })
    })
}

const NOTES = `
DATABASE_URL names an empty database, or CLAIMKEEPER_DATA_DIR a folder in which an embedded one is created. The backup is
restored completely or not at all. All users must sign in again. Tokens that were revoked after the backup are valid again.`
