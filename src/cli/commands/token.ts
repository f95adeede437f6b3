import { type Command, InvalidArgumentError } from 'commander'
import { createToken, listTokens, revokeToken } from '../../app/tokens/tokens.ts'
import { printable, printableJson } from '../printable.ts'
import { runCommand } from '../run-command.ts'
import { formatTable } from '../table.ts'

export function addTokenCommand(program: Command): void {
  const token = program.command('token').description('API tokens')

  token
    .command('create')
    .description('create a token; prints the token alone, and only this once')
    .requiredOption('--email <email>', 'the account that the token is for')
    .requiredOption('--name <name>', 'what the token is for, such as "billing job"', toName)
    .option(
      '--expires <time>',
      'when it ends, such as 2027-01-31 or 2027-01-31T12:00:00Z (default: never)',
      toFutureTime,
    )
    .action(async ({ email, name, expires }: { email: string; name: string; expires?: Date }) => {
      console.log(await runCommand((app) => createToken(app, { email, name, expiresAt: expires ?? null })))
    })

  token
    .command('list')
    .description('list all tokens, oldest first')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: true }) => {
      const tokens = await runCommand(listTokens)
      if (json) {
        console.log(printableJson(JSON.stringify(tokens, null, 2)))
        return
      }
      console.log(
        formatTable(
          ['ID', 'ACCOUNT', 'NAME', 'CREATED', 'EXPIRES', 'STATE'],
          tokens.map(({ id, email, name, createdAt, expiresAt, state }) => [
            id,
            email,
            name,
            createdAt.toISOString(),
            expiresAt?.toISOString() ?? 'never',
            state,
          ]),
        ),
      )
    })

  token
    .command('revoke')
    .description('end a token at once, on every server')
    .argument('<id>', 'its ID, from: claimkeeper token list')
    .action(async (id: string) => {
      await runCommand((app) => revokeToken(app, id))
      console.log(`Revoked ${printable(id)}.`)
    })
}

function toName(text: string): string {
  if (text === '' || text.length > 255) throw new InvalidArgumentError('It must have 1 to 255 characters.')
  return text
}

function toFutureTime(text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('It must be a date or an ISO 8601 time.')
  }
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError('It is in the past.')
  return time
}
