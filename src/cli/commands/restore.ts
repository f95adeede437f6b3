import type { Command } from 'commander'

interface Options {
  disableWebhooks: boolean
}

export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description('fill an empty database with what a backup holds')
    .argument('<file>', 'a file of claimkeeper backup; "-" for standard input')
    .option(
      '--disable-webhooks',
      'send nothing from the restored database: for a trial beside the original',
      false,
    )
    .addHelpText('after', NOTES)
    .action(async (file: string, options: Options) => {
      const { runRestore } = await import('../backup/run-restore.ts')
      await runRestore(file, { disablesWebhooks: options.disableWebhooks })
    })
}

const NOTES = `
DATABASE_URL names an empty database, or CLAIMKEEPER_DATA_DIR a folder in which one is made. All of the backup is restored, or
nothing. Who was signed in signs in again; tokens that were revoked since the backup was made are valid again.`
