import type { Command } from 'commander'
import { createUser } from '../../app/create-user.ts'
import { listUsers } from '../../app/list-users.ts'
import { runCommand } from '../run-command.ts'
import { formatTable } from '../table.ts'

export function addUserCommand(program: Command): void {
  const user = program
    .command('user')
    .description('accounts: everything that the service holds belongs to one')

  user
    .command('create')
    .description('create an account')
    .requiredOption('--email <email>', 'who the account is for')
    .action(async ({ email }: { email: string }) => {
      const created = await runCommand((app) => createUser(app, email))
      console.log(`Created ${created.email} (${created.id}).`)
    })

  user
    .command('list')
    .description('list all accounts, oldest first')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: true }) => {
      const users = await runCommand(listUsers)
      if (json) {
        console.log(JSON.stringify(users, null, 2))
        return
      }
      console.log(
        formatTable(
          ['ID', 'EMAIL', 'CREATED'],
          users.map(({ id, email, createdAt }) => [id, email, createdAt.toISOString()]),
        ),
      )
    })
}
