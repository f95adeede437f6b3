import type { Command } from 'commander'
import { createInvitation, invitationUrl } from '../../accounts/invitations/invitations.ts'
import { createUser, listUsers, setUserPassword } from '../../accounts/users.ts'
import { readConfig } from '../../config/config.ts'
import { print, printJson, reportChange } from '../../platform/terminal/output.ts'
import { printable } from '../../platform/terminal/printable.ts'
import { readPassword } from '../../platform/terminal/read-password.ts'
import { formatTable } from '../../platform/terminal/table.ts'
import { runCommand } from '../run-command.ts'

export function addUserCommand(program: Command): void {
  const user = program.command('user').description('accounts, which own all records')
  addCreate(user)
  addInvite(user)
  addSetPassword(user)
  addList(user)
}

function addCreate(user: Command): void {
  user
    .command('create')
    .description('create an account')
    .requiredOption('--email <email>', 'the email of the account')
    .option('--password', 'set a password: entered on a terminal, otherwise read from standard input')
    .action(async ({ email, password }: { email: string; password?: true }) => {
      const given = password ? await readPassword() : undefined
      const created = await runCommand((app) => createUser(app, email, given))
      await reportChange(`Created ${printable(created.email)} (${created.id}).`)
    })
}

function addInvite(user: Command): void {
  user
    .command('invite')
    .description('print a sign-up link, which works once and for 7 days')
    .option('--email <email>', 'the only email that may sign up (default: any)')
    .action(async ({ email }: { email?: string }) => {
      const { publicUrl, host, port } = readConfig()
      const show = (key: string) => print(invitationUrl(publicUrl ?? `http://${host}:${port}`, key))
      await runCommand(({ db }) => createInvitation(db, { email: email ?? null, invitedBy: null }, show))
    })
}

function addSetPassword(user: Command): void {
  user
    .command('set-password')
    .description('set a new password and end all sessions of the account')
    .requiredOption('--email <email>', 'the account; the password is read as for create --password')
    .action(async ({ email }: { email: string }) => {
      const password = await readPassword()
      await runCommand((app) => setUserPassword(app, email, password))
      await reportChange(`Set the password of ${printable(email)}.`)
    })
}

function addList(user: Command): void {
  user
    .command('list')
    .description('list all accounts, oldest first')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: true }) => {
      const users = await runCommand(listUsers)
      if (json) return printJson(users)
      await print(
        formatTable(
          ['ID', 'EMAIL', 'NAME', 'CREATED'],
          users.map(({ id, email, name, createdAt }) => [id, email, name ?? '', createdAt.toISOString()]),
        ),
      )
    })
}
